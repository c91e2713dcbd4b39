export function installSuite(what: string, name: string, source: string): string;
