/** Why a session waits, in sentences: open questions, running jobs, the next resume, the last actor. */
import type { HandoffView } from "../../domain/session/view";
import { participantName, actorText } from "../text";
import { hasExpired, isWaitingLong } from "./session-sections";
import type { SessionDetails } from "./session-details";
import type { ConsoleReader } from "./reader";

interface WaitReasonProps {
  readonly details: SessionDetails;
  readonly now: number;
  readonly reader: ConsoleReader;
}

export function WaitReason({ details, now, reader }: WaitReasonProps) {
  const { session, waits } = reader.console;
  const { waiting = null } = details.listed ?? {};
  const ms = waiting === null ? 0 : now - Date.parse(waiting.since);
  return (
    <>
      {waiting !== null && (
        <p class={isWaitingLong(ms) ? "lead long" : "lead"}>
          {session.waitsFor(waits[waiting.for], reader.age(ms))}
        </p>
      )}
      {details.session.paused && <p>{session.pausedWhy}</p>}
      {waiting?.for === "review" && <Review details={details} reader={reader} />}
      {waiting?.for === "person" && <OpenQuestions details={details} now={now} reader={reader} />}
      {waiting?.for === "job" && <OpenJobs details={details} reader={reader} />}
      {waiting?.for === "time" && <NextResume details={details} reader={reader} />}
      {waiting?.for === "agent" && <AgentStatus details={details} now={now} reader={reader} />}
    </>
  );
}

type SectionProps = Omit<WaitReasonProps, "now">;

function Review({ details: { session }, reader }: SectionProps) {
  const { approvedBy, approvals } = session.review;
  const [got, needed] = [approvedBy.length, approvals].map(reader.format);
  return <p>{reader.console.session.review(got ?? "", needed ?? "")}</p>;
}

function OpenQuestions({ details, now, reader }: WaitReasonProps) {
  const words = reader.console.session;
  const open = details.handoffs.filter((one) => isOpenLink(one, now));
  if (open.length === 0) return <p>{words.noLink}</p>;
  return (
    <ul>
      {open.map((one) => (
        <li>
          {words.asked(participantName(details.session, one.participant, reader.words))}{" "}
          <q dir="auto">{one.question ?? one.note ?? "…"}</q>{" "}
          <span class="meta">{one.openedAt == null ? words.linkUnopened : words.linkOpened}</span>
        </li>
      ))}
    </ul>
  );
}

const isOpenLink = (one: HandoffView, now: number): boolean =>
  one.to === "human" &&
  !one.revoked &&
  one.answeredAt == null &&
  one.declinedAt == null &&
  !hasExpired(one, now);

const OPEN_JOB_STATUSES = new Set(["pending", "running"]);

function OpenJobs({ details: { jobs }, reader }: SectionProps) {
  return (
    <ul>
      {jobs
        .filter(({ status }) => OPEN_JOB_STATUSES.has(status))
        .map(({ agent, status }) => (
          <li>{reader.console.session.openJob(agent, status)}</li>
        ))}
    </ul>
  );
}

function NextResume({ details: { stops }, reader }: SectionProps) {
  const words = reader.console.session;
  const last = stops.findLast(({ type }) => type === "stop.reported")?.payload;
  const { resumeAt = null } = (last?.["decision"] ?? {}) as { readonly resumeAt?: string | null };
  return (
    <>
      {last !== undefined && <p>{words.stopped(String(last["reason"]))}</p>}
      {resumeAt !== null && <p>{words.resumes(reader.time(resumeAt))}</p>}
    </>
  );
}

function AgentStatus({ details, now, reader }: WaitReasonProps) {
  const { session } = details;
  const words = reader.console.session;
  const online = session.participants.filter(({ connected }) => connected);
  return (
    <>
      <LastActor details={details} now={now} reader={reader} />
      {online.map(({ actor }) => (
        <p>{words.connected(actorText(actor, reader.words))}</p>
      ))}
      {online.length === 0 && <p>{words.nobody}</p>}
    </>
  );
}

/** Owners and the server are not participants, so they do not have to continue. */
function LastActor({ details: { session }, now, reader }: WaitReasonProps) {
  const words = reader.console.session;
  const { kind, id } = session.updatedBy;
  if (kind === "owner" || kind === "system") return null;
  const canAct = session.participants.some(
    (one) =>
      one.actor.kind === kind && one.actor.id === id && !one.revoked && !hasExpired(one, now),
  );
  const who = actorText(session.updatedBy, reader.words);
  return <p>{canAct ? words.lastActor(who) : words.lastActorGone(who)}</p>;
}
