/** For these suites only: without it vitest would find the project's own configuration. */
export default { test: { globals: true, testTimeout: 60_000, hookTimeout: 60_000 } };
