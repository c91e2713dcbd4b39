export function runWatched(options: {
  command: string;
  args: readonly string[];
  files: readonly string[];
  cwd: string;
  env: NodeJS.ProcessEnv;
  silenceMs: number;
  say: (line: string) => void;
}): Promise<{ passed: number; failed: number; files: { path: string; ms: number }[] }>;
