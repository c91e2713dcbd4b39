/**
 * An executor: claims jobs of one agent and runs them, on any machine. Plain HTTP, no packages.
 *
 *   node examples/executor.mjs [http://localhost:8787] [agent] [key]
 *
 * This one emits its input word by word. If it is killed during a job, the next executor gets the job.
 */
const [base = "http://localhost:8787", agent = "speller", key] = process.argv.slice(2);

async function post(path, body, token) {
  const response = await fetch(base + path, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      // With the key, a report that is repeated after a lost answer is written once.
      "Idempotency-Key": crypto.randomUUID(),
    },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.status === 204 ? null : response.json();
}

async function perform({ job, input, jobToken }) {
  console.log(`began ${job.id}`);
  const words = String(input?.text ?? input ?? "").split(/\s+/);
  for (const [index, word] of words.entries()) {
    const events = [
      { kind: "log", body: { level: "info", message: word } },
      { kind: "progress", body: { current: index + 1, total: words.length } },
    ];
    const { cancelRequested } = await post("/jobs/events", { events }, jobToken);
    if (cancelRequested) return console.log(`cancelled ${job.id}`);
    await new Promise((settle) => setTimeout(settle, 20));
  }
  await post("/jobs/result", { result: { words: words.length }, summary: "spelled" }, jobToken);
  console.log(`ended ${job.id}`);
}

console.log(`executor of ${agent} at ${base}`);
for (;;) {
  try {
    const claim = await post(`/agents/${agent}/claim`, { waitMs: 30_000, leaseMs: 10_000 }, key);
    if (claim !== null) await perform(claim);
  } catch (error) {
    console.error(error.message);
    await new Promise((settle) => setTimeout(settle, 1_000));
  }
}
