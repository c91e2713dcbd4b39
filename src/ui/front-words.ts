/** The words of the front page, which is for developers and in English. */
export const FRONT = {
  title: "Baton",
  tagline: "Keeps a piece of work alive between the agents and people who work on it.",
  what: [
    "An agent starts a session and gets a resume token. Anyone who has the newest token can continue exactly where the work stopped. No accepted write is lost or applied twice.",
    "When a person must fill in, decide or upload, the agent makes a short link. The person opens it on a phone, does their part, and the agent goes on.",
  ],
  tryTitle: "Try it",
  tryText:
    "Begin a session, see its log live, get a link and its QR code, open it in another tab, and see both move.",
  needsKey:
    "You need a key to create a session here. Ask the operator of this server for one; agents send it as Authorization: Bearer bkey_….",
  begin: "Begin a session",
  agentActs: "Let the agent fill a field",
  noScript: "The try-out needs JavaScript. Everything else here works without it; or use curl:",
  log: "The session's log, live",
  link: "The link for a person",
  docs: "Documents and API reference",
  working: "Working…",
  failed: "That did not work:",
} as const;
