export const ROOT: string;
export function ensureInstalled(): string;
export const projectEnvironment: () => NodeJS.ProcessEnv;
export const serverEnvironment: () => NodeJS.ProcessEnv;
