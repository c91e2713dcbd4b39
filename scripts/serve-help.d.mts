export declare const HELP: string;
export declare const asksForHelp: (args: readonly string[]) => boolean;
