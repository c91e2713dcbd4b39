/** Why a session waits, in sentences: who was asked, what runs, when it goes on, who acted last. */
import type { HandoffView } from "../../domain/session/view";
import { whoText } from "../text";
import { isWaitingLong } from "./parts";
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
      {waiting?.for === "agent" && <Agent look={look} reader={reader} />}
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
          {words.asked(nameOf(look, one, reader))}{" "}
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
  (one.expiresAt === null || now < Date.parse(one.expiresAt));

function nameOf(look: Look, { participant }: HandoffView, reader: ConsoleReader): string {
  const found = look.session.participants.find(({ id }) => id === participant);
  return found === undefined ? participant : whoText(found.actor, reader.words);
}

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

function Agent({ look: { session }, reader }: PartProps) {
  const words = reader.console.session;
  const online = session.participants.filter(({ connected }) => connected);
  return (
    <>
      <p>{words.lastActor(whoText(session.updatedBy, reader.words))}</p>
      {online.map(({ actor }) => (
        <p>{words.connected(whoText(actor, reader.words))}</p>
      ))}
      {online.length === 0 && <p>{words.nobody}</p>}
    </>
  );
}
