export function largeText(bytes: number): string;
