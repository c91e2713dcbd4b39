/**
 * The pages under /docs, in the order of the sidebar. Their Markdown stays at its location in the
 * repository.
 */
export interface DocsPage {
  /** Below /docs/. */
  readonly path: string;
  /** In the repository. */
  readonly file: string;
  readonly title: string;
}

interface DocsGroup {
  readonly title: string;
  readonly pages: readonly DocsPage[];
}

const inDocs = (path: string, title: string): DocsPage => ({
  path,
  file: `docs/${path}.md`,
  title,
});

export const DOCS_GROUPS: readonly DocsGroup[] = [
  {
    title: "Start",
    pages: [
      inDocs("index", "Documentation"),
      inDocs("start", "Start in five minutes"),
      inDocs("questions", "Twenty questions"),
      { path: "readme", file: "README.md", title: "Read me" },
      inDocs("glossary", "Glossary"),
      { path: "examples", file: "examples/README.md", title: "Examples" },
      inDocs("demo", "The demo, recorded"),
    ],
  },
  {
    title: "Concepts",
    pages: [
      inDocs("concepts", "How Baton works"),
      inDocs("timeline", "The timeline of a session"),
      inDocs("handoff", "Handoff"),
    ],
  },
  {
    title: "Guides",
    pages: [
      inDocs("guides/install", "Install"),
      inDocs("guides/resumable-agent", "A resumable agent"),
      inDocs("guides/http", "Over plain HTTP"),
      inDocs("guides/typescript", "TypeScript"),
      inDocs("guides/python", "Python"),
      inDocs("guides/python-adapters", "Python frameworks"),
      inDocs("adapters", "Agent frameworks"),
      inDocs("guides/claude-code", "Permission for Claude Code"),
      inDocs("guides/baton-run", "baton run around a program"),
      inDocs("guides/mcp", "From an MCP client"),
      inDocs("guides/arcp", "Jobs over ARCP"),
      inDocs("guides/relay", "A relay between agents"),
      inDocs("guides/human-in-the-loop", "A human in the loop"),
      inDocs("guides/forms", "Design a form"),
      inDocs("guides/person-page", "What a person sees"),
      inDocs("guides/waiting", "Wait for a person"),
      inDocs("guides/webhooks", "Webhooks"),
      inDocs("guides/mcp-events", "MCP Events"),
      inDocs("guides/intake-with-review", "Intake with review"),
      inDocs("guides/private-values", "Private values"),
      inDocs("guides/console", "The console"),
      inDocs("guides/migrating", "Move from another system"),
    ],
  },
  {
    title: "Reference",
    pages: [
      inDocs("protocol", "Protocol"),
      inDocs("protocol-tests", "Tests of the protocol"),
      inDocs("events", "Events"),
      inDocs("errors", "Errors"),
      inDocs("limits", "Limits"),
      inDocs("sdk", "SDK"),
      inDocs("cli", "Command line"),
      inDocs("mcp", "MCP"),
      inDocs("arcp", "ARCP"),
      inDocs("notices", "Notices"),
    ],
  },
  {
    title: "Running a server",
    pages: [
      inDocs("guides/self-hosting", "On your own machine"),
      inDocs("guides/deploy", "On Cloudflare"),
      inDocs("guides/proxies", "Behind a proxy"),
      inDocs("operations", "Operations"),
      inDocs("owners", "Owners and their keys"),
      inDocs("abuse", "Limits and binding"),
      inDocs("security", "Security"),
      inDocs("evidence", "Evidence"),
      inDocs("guides/oidc", "Reviewers with an OpenID provider"),
      inDocs("reliability", "Reliability"),
      { path: "reporting", file: "SECURITY.md", title: "Reporting a hole" },
    ],
  },
  {
    title: "Inside",
    pages: [
      inDocs("architecture", "Architecture"),
      inDocs("storage-schema", "Storage schema"),
      inDocs("performance", "Performance and cost"),
      inDocs("decisions/0001-token", "Decision 1: token"),
      inDocs("decisions/0002-log", "Decision 2: log"),
      inDocs("decisions/0003-dependencies", "Decision 3: dependencies"),
      inDocs("decisions/0004-local-unique-key", "Decision 4: local unique key"),
      inDocs("decisions/0005-one-session-row", "Decision 5: one session row"),
      inDocs("decisions/0006-checkpoints-and-forks", "Decision 6: checkpoints and forks"),
      inDocs("decisions/0007-limits-keys-and-binding", "Decision 7: limits, keys and binding"),
      inDocs("decisions/0008-what-a-request-costs", "Decision 8: what a request costs"),
      inDocs("decisions/0009-group-commit", "Decision 9: appends that wait are written together"),
      inDocs("decisions/0010-own-forms", "Decision 10: forms of our own"),
      inDocs("decisions/0011-documentation-site", "Decision 11: the documentation site"),
      inDocs("decisions/0012-console-pictures", "Decision 12: what the console draws"),
      inDocs("decisions/0013-the-packaged-server", "Decision 13: the packaged server"),
      inDocs("decisions/0014-losers-in-turn", "Decision 14: losers in turn"),
      inDocs("decisions/0015-offline-page", "Decision 15: the offline page"),
      inDocs("decisions/0016-no-compression", "Decision 16: no compression"),
      inDocs("decisions/0017-keys-and-websites", "Decision 17: keys and websites"),
      inDocs("releases", "Releases"),
      { path: "contributing", file: "CONTRIBUTING.md", title: "Contributing" },
      { path: "changelog", file: "CHANGELOG.md", title: "Changes" },
    ],
  },
];

export const DOCS_PAGES: readonly DocsPage[] = DOCS_GROUPS.flatMap(({ pages }) => pages);
