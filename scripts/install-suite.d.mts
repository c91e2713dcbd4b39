export function installSuite(what: string, name: string, source: string): string;
export function install(what: string, name: string, source: string): string;
