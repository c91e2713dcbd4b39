export declare const HELP: string;
export declare const CHECK_REFUSED: number;
export declare const asksForHelp: (args: readonly string[]) => boolean;
