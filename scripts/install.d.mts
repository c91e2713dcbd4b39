export const ROOT: string;
export function ensureInstalled(checkFirst?: (node: string) => void): string;
export const projectEnvironment: () => NodeJS.ProcessEnv;
export const serverEnvironment: () => NodeJS.ProcessEnv;
