export const ROOT: string;
export function ensureInstalled(): string;
export const projectEnvironment: () => NodeJS.ProcessEnv;
