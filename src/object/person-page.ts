/**
 * What a person's page shows of the session: their part, the request to them, and the last events.
 */
import { termsOf } from "../domain/links/terms";
import { canSeeField } from "../domain/participants/narrowing";
import { uploadId } from "../domain/files/upload";
import { participantId } from "../domain/ids";
import { LIMITS } from "../domain/limits";
import { ok } from "../domain/result";
import type { SessionContext } from "./session-context";
import { admitTo, type Viewer } from "./gate";
import type { PersonPageView } from "./link-messages";
import type { AuthenticatedRequest, Reply } from "./messages";
import { readablePrivateValues } from "./private-values";

/** Events that the history on the page shows. */
const HISTORY_EVENTS = 200;

export function readPersonPage(
  context: SessionContext,
  request: AuthenticatedRequest,
  now: number,
): Reply<PersonPageView> {
  const admitted = admitTo(context, request, "get", now);
  if (!admitted.ok) return admitted;
  const viewer = admitted.value;
  const id = participantId(viewer.participant.number);
  const me = viewer.view().participants.find((one) => one.id === id);
  if (me === undefined) return { ok: false, failure: { code: "token_invalid" } };
  const after = Math.max(0, context.store.head() - HISTORY_EVENTS);
  const { texts } = viewer.page({ after, limit: LIMITS.pageEvents, types: [] });
  const { link } = viewer.participant;
  return ok({
    session: viewer.text(),
    me,
    ...requestTo(viewer),
    narrowing: viewer.narrowing(),
    answeredAt: timeOf(link?.answeredAt),
    declinedAt: timeOf(link?.declinedAt),
    texts,
    privates: Object.fromEntries(
      readablePrivateValues(viewer, context).map((one) => [one.field, one.value]),
    ),
    fileNames: fileNamesFor(viewer, context),
  });
}

function fileNamesFor(
  viewer: Viewer,
  { uploads }: SessionContext,
): Readonly<Record<string, string>> {
  const narrowing = viewer.narrowing();
  const visibleFiles = uploads
    .list()
    .filter(({ status }) => status === "confirmed")
    .filter(({ field }) => canSeeField(narrowing, field));
  return Object.fromEntries(visibleFiles.map(({ number, name }) => [uploadId(number), name]));
}

const timeOf = (time: number | undefined): string | null =>
  time === undefined ? null : new Date(time).toISOString();

function requestTo({ session, participant, participants }: Viewer) {
  const terms = termsOf(session, participant);
  const { request } = session;
  const isByRequest = participant.link?.terms?.ask === undefined && terms.ask !== undefined;
  const creator = participants.find(({ number }) => number === participant.madeBy);
  const note = participant.note ?? (isByRequest ? (request?.note ?? null) : null);
  const requestedBy =
    (isByRequest ? request?.by : undefined) ?? creator?.actor ?? session.createdBy;
  return { terms, note, requestedBy, isRequest: isByRequest };
}
