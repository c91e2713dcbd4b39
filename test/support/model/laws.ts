/** Every law of the model, and the check of a history against all of them. */
import { analyse } from "./analysis.ts";
import type { History, RunHistory } from "./history.ts";
import { ANSWER_LAWS } from "./laws/answers.ts";
import { CONTENT_LAWS } from "./laws/content.ts";
import { EFFECT_LAWS } from "./laws/effects.ts";
import { EVIDENCE_LAWS } from "./laws/evidence.ts";
import type { Law, RunLaw, Violation } from "./laws/law.ts";
import { LOG_LAWS } from "./laws/log.ts";
import { MALFORMED_LAWS } from "./laws/malformed.ts";
import { NOTICE_LAWS } from "./laws/notices.ts";
import { OWNER_LAWS } from "./laws/owners.ts";
import { STORAGE_LAWS } from "./laws/storage.ts";

/** About one session. */
export const LAWS: readonly Law[] = [
  ...LOG_LAWS,
  ...ANSWER_LAWS,
  ...EFFECT_LAWS,
  ...STORAGE_LAWS,
  ...CONTENT_LAWS,
];

/** About all sessions of a run and what was observed around them. */
export const RUN_LAWS: readonly RunLaw[] = [
  ...OWNER_LAWS,
  ...NOTICE_LAWS,
  ...EVIDENCE_LAWS,
  ...MALFORMED_LAWS,
];

export function check(history: History): readonly Violation[] {
  const analysis = analyse(history);
  return LAWS.flatMap(({ name, check: violations }) =>
    violations(history, analysis).map((what) => ({ law: name, what })),
  );
}

export const checkRun = (run: RunHistory): readonly Violation[] =>
  RUN_LAWS.flatMap(({ name, check: violations }) =>
    violations(run).map((what) => ({ law: name, what })),
  );
