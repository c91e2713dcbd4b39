/** What a program started by `baton run` finds in its environment: never a secret of Baton's own. */

/** Keys of owners, tokens of sessions, and what a server on the same machine was given. */
const SECRET =
  /^(?:BATON_\w*(?:KEY|TOKEN|SECRET)S?|METRICS_TOKEN|SEALING_KEYS|SIGNING_KEYS|OWNERS|AGENTS|OIDC)$/i;

export const programEnv = (
  inherited: NodeJS.ProcessEnv,
  given: Readonly<Record<string, string>>,
): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(Object.entries(inherited).filter(([name]) => !SECRET.test(name))),
  ...given,
});
