/**
 * An ARCP client: submits a job, prints its stream, and resumes it whenever the connection is lost.
 * Needs Node 22 or newer for its WebSocket, and no packages.
 *
 *   node examples/arcp-client.mjs [http://localhost:8787] [agent] [text]
 *
 * With DROP_AFTER=3 in the environment it cuts its own connection after three events, to show the resume.
 */
const [base = "http://localhost:8787", agent = "speller", text = "nothing is lost"] =
  process.argv.slice(2);
const auth = { scheme: "bearer", token: process.env.ARCP_BEARER ?? "example" };
let dropAfter = Number(process.env.DROP_AFTER ?? Infinity);

/** The state needed to continue. Save it to disk to continue after a crash of this process. */
const kept = { resumeToken: null, lastEventSeq: 0, jobKey: crypto.randomUUID() };

/** One connection. Resolves to true when the job has ended, and to false when the connection was lost. */
function connect() {
  return new Promise((settle) => {
    const socket = new WebSocket(`${base.replace(/^http/, "ws")}/arcp`);
    let sessionId;
    let isOver = false;
    const send = (type, payload) =>
      socket.send(
        JSON.stringify({
          arcp: "1.1",
          id: crypto.randomUUID(),
          type,
          ...(sessionId === undefined ? {} : { session_id: sessionId }),
          payload,
        }),
      );
    const onOpen = () =>
      send("session.hello", {
        client: { name: "example", version: "1" },
        auth,
        capabilities: { encodings: ["json"], features: ["heartbeat", "ack"] },
        ...(kept.resumeToken === null
          ? {}
          : { resume: { resume_token: kept.resumeToken, last_event_seq: kept.lastEventSeq } }),
      });
    const onMessage = ({ data }) => {
      if (isOver) return;
      const { type, session_id, event_seq, payload } = JSON.parse(data);
      if (event_seq !== undefined) kept.lastEventSeq = event_seq;
      switch (type) {
        case "session.welcome":
          console.log(kept.resumeToken === null ? "welcome" : "resumed");
          sessionId = session_id;
          kept.resumeToken = payload.resume_token;
          // With the same key, a job whose acceptance was lost is not submitted twice.
          send("job.submit", { agent, input: { text }, idempotency_key: kept.jobKey });
          break;
        case "session.ping":
          send("session.pong", {
            ping_nonce: payload.nonce,
            received_at: new Date().toISOString(),
          });
          break;
        case "job.event":
          console.log(`${event_seq} ${payload.kind} ${JSON.stringify(payload.body)}`);
          if (event_seq >= dropAfter) {
            dropAfter = Infinity;
            console.log("line lost");
            isOver = true;
            socket.close();
          }
          break;
        case "job.result":
        case "job.error":
          console.log(
            `${event_seq} ${payload.final_status} ${JSON.stringify(payload.result ?? payload.message)}`,
          );
          isOver = true;
          settle(true);
          socket.close();
          break;
        case "session.error":
          console.error(`${payload.code}: ${payload.message}`);
          if (!payload.retryable) process.exit(1);
      }
    };
    socket.addEventListener("open", onOpen);
    socket.addEventListener("message", onMessage);
    socket.addEventListener("close", () => settle(false));
  });
}

while (!(await connect())) await new Promise((settle) => setTimeout(settle, 100));
process.exit(0);
