/** Of the suites alone: without it vitest would find the project's own. */
export default { test: { globals: true, testTimeout: 60_000, hookTimeout: 60_000 } };
