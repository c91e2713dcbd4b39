/**
 * Calls every tool once, in an order in which each one works. It knows tools by name and tokens by
 * their members, but not how a call is made, so any client can run it if its connection carries an
 * owner's key.
 */
// oxlint-disable-next-line typescript/no-explicit-any -- results of every shape
type Facts = any;
/** Calls a tool and returns its structured content; throws if the tool reports an error. */
export type CallTool = (name: string, args: Readonly<Record<string, unknown>>) => Promise<Facts>;

/** Returns the names of the called tools. */
export async function callEveryTool(callTool: CallTool): Promise<readonly string[]> {
  const called: string[] = [];
  const call: CallTool = async (name, args) => {
    const facts = await callTool(name, args);
    called.push(name);
    return facts;
  };
  const schema = {
    type: "object",
    properties: {
      city: { type: "string" },
      passport: { type: "string", "x-baton": { private: true } },
    },
    required: ["city"],
  };
  const created = await call("create_session", { title: "Journey", actor: { id: "a" }, schema });
  let token: string = created.resume_token;
  const spend = async (name: string, args: object = {}): Promise<Facts> => {
    const facts = await call(name, { resume_token: token, ...args });
    token = facts.resume_token;
    return facts;
  };

  await call("get_session", { resume_token: token });
  await call("check_session", { resume_token: token, last_event_seq: 1 });
  const fields = { city: "Lisbon", passport: "C01X00T47" };
  await spend("set_fields", { fields, idempotency_key: crypto.randomUUID() });
  await call("read_private", { resume_token: token, field: "passport" });
  await call("list_sessions", { q: "Journey" });
  await call("open_session", { session_id: created.session.id });
  await call("validate", { resume_token: token });
  const events = [{ type: "agent.progress", payload: { percent: 50 } }];
  await call("append_events", { resume_token: token, events });
  await call("read_events", { resume_token: token, after: 0, types: ["agent.*"] });
  await call("wait_for", { resume_token: token, types: ["agent.progress"], after: 0 });
  const { checkpoint } = await spend("checkpoint", { name: "half way" });
  await spend("restore_checkpoint", { checkpoint: checkpoint.id });
  await spend("pause_session", { reason: "lunch" });
  await spend("unpause_session");
  await spend("extend_session", { ttl_ms: 3_600_000 });
  const { job } = await call("submit_job", {
    resume_token: token,
    agent: "helper",
    input: "hello",
  });
  await call("get_job", { resume_token: token, job_id: job.id });
  await call("cancel_job", { resume_token: token, job_id: job.id });
  const linked = await spend("handoff_to_human", { scopes: ["fill"], note: "please look" });
  await spend("reissue_link", { handoff: linked.handoff.id });
  const handoff = await spend("handoff_to_agent", { scopes: ["fill"], note: "yours" });
  const resumed = await call("resume_session", {
    resume_token: handoff.participant_token,
    last_event_seq: created.session.head,
  });
  await call("report_stop", { resume_token: resumed.resume_token, reason: "rate_limit" });
  const forked = await spend("fork_session", { reason: "try another way" });
  const file = { name: "ticket.txt", type: "text/plain", size: 5 };
  const upload = await call("request_upload", { resume_token: forked.child_token, ...file });
  await call("cancel_session", { resume_token: upload.resume_token });
  const last = await callTool("create_session", { title: "With a file" });
  const sent = await callTool("request_upload", { resume_token: last.resume_token, ...file });
  const Authorization = `Bearer ${sent.resume_token}`;
  const headers = { Authorization, "Content-Type": "text/plain" };
  await fetch(sent.put_url, { method: "PUT", headers, body: "hello" });
  const confirmed = await fetch(sent.confirm_url, { method: "POST", headers: { Authorization } });
  const { resumeToken } = (await confirmed.json()) as { resumeToken: string };
  await call("download_file", { resume_token: resumeToken, upload: sent.upload.id });
  await spend("revoke_participant", { participant: handoff.handoff.id });
  await spend("submit");
  await spend("finalize_session");
  const reviewed = await callTool("create_session", { review: { required: true } });
  const { resume_token } = await callTool("submit", { resume_token: reviewed.resume_token });
  const invited = await callTool("handoff_to_agent", { resume_token, scopes: ["review"] });
  await call("review_session", { resume_token: invited.participant_token, decision: "approve" });
  return called;
}
