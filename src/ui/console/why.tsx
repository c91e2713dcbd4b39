/** Why a session waits, in sentences: who was asked, what runs, when it goes on, who acted last. */
import type { HandoffView } from "../../domain/session/view";
import { participantText, whoText } from "../text";
import { isOver, isWaitingLong } from "./parts";
import type { Look } from "./look";
import type { ConsoleReader } from "./reader";

interface WhyProps {
  readonly look: Look;
  readonly now: number;
  readonly reader: ConsoleReader;
}

export function Why({ look, now, reader }: WhyProps) {
  const { session, waits } = reader.console;
  const { waiting = null } = look.listed ?? {};
  const ms = waiting === null ? 0 : now - Date.parse(waiting.since);
  return (
    <>
      {waiting !== null && (
        <p class={isWaitingLong(ms) ? "lead long" : "lead"}>
          {session.waitsFor(waits[waiting.for], reader.age(ms))}
        </p>
      )}
      {look.session.paused && <p>{session.pausedWhy}</p>}
      {waiting?.for === "review" && <Review look={look} reader={reader} />}
      {waiting?.for === "person" && <Asked look={look} now={now} reader={reader} />}
      {waiting?.for === "job" && <OpenJobs look={look} reader={reader} />}
      {waiting?.for === "time" && <Resumes look={look} reader={reader} />}
      {waiting?.for === "agent" && <Agent look={look} now={now} reader={reader} />}
    </>
  );
}

type PartProps = Omit<WhyProps, "now">;

function Review({ look: { session }, reader }: PartProps) {
  const { approvedBy, approvals } = session.review;
  const [got, needed] = [approvedBy.length, approvals].map(reader.format);
  return <p>{reader.console.session.review(got ?? "", needed ?? "")}</p>;
}

function Asked({ look, now, reader }: WhyProps) {
  const words = reader.console.session;
  const open = look.handoffs.filter((one) => isOpenLink(one, now));
  if (open.length === 0) return <p>{words.noLink}</p>;
  return (
    <ul>
      {open.map((one) => (
        <li>
          {words.asked(participantText(look.session, one.participant, reader.words))}{" "}
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
  !isOver(one, now);

const OPEN_JOB = new Set(["pending", "running"]);

function OpenJobs({ look: { jobs }, reader }: PartProps) {
  return (
    <ul>
      {jobs
        .filter(({ status }) => OPEN_JOB.has(status))
        .map(({ agent, status }) => (
          <li>{reader.console.session.openJob(agent, status)}</li>
        ))}
    </ul>
  );
}

function Resumes({ look: { stops }, reader }: PartProps) {
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

function Agent({ look, now, reader }: WhyProps) {
  const { session } = look;
  const words = reader.console.session;
  const online = session.participants.filter(({ connected }) => connected);
  return (
    <>
      <LastActor look={look} now={now} reader={reader} />
      {online.map(({ actor }) => (
        <p>{words.connected(whoText(actor, reader.words))}</p>
      ))}
      {online.length === 0 && <p>{words.nobody}</p>}
    </>
  );
}

/** Who acts by a key, and the server itself, need not go on: they take no part. */
function LastActor({ look: { session }, now, reader }: WhyProps) {
  const words = reader.console.session;
  const { kind, id } = session.updatedBy;
  if (kind === "owner" || kind === "system") return null;
  const canAct = session.participants.some(
    (one) => one.actor.kind === kind && one.actor.id === id && !one.revoked && !isOver(one, now),
  );
  const who = whoText(session.updatedBy, reader.words);
  return <p>{canAct ? words.lastActor(who) : words.lastActorGone(who)}</p>;
}
