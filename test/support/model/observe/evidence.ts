/** Takes an export of every session that can be read when it ends, and has the product's verifier check it. */
import { build } from "esbuild";
import { join } from "node:path";
import type { verifyExport } from "../../../../src/verify/index.ts";
import type { ExportObservation } from "../laws/evidence.ts";
import type { EndedSession, Observations, ObservedRun, Observer } from "../observer.ts";
import { patientClient } from "./patient-client.ts";

interface Verifier {
  readonly verifyExport: typeof verifyExport;
}

export class EvidenceObserver implements Observer {
  readonly #exports: ExportObservation[] = [];
  #run: ObservedRun | null = null;
  #verifier: Verifier | null = null;
  #keys: Parameters<Verifier["verifyExport"]>[1] = null;

  async start(run: ObservedRun): Promise<void> {
    this.#run = run;
    this.#verifier = await loadVerifier();
    const { body } = await patientClient(run.url).call("GET", "/.well-known/baton-keys.json");
    this.#keys = body.keys;
  }

  async sessionEnded({ id, token }: EndedSession): Promise<void> {
    if (this.#run === null || this.#verifier === null) return;
    const client = patientClient(this.#run.url);
    for (;;) {
      const before = await this.#run.stored(id);
      const { status, text } = await client.call("GET", `/sessions/${id}/export`, { token });
      const { commits } = await this.#run.stored(id);
      // Expired, purged, or the creator ended it for itself.
      if (status !== 200) return;
      // What became due meanwhile is not in the export.
      if (before.commits.length !== commits.length) continue;
      const verdict = await this.#verifier.verifyExport([Buffer.from(text)], this.#keys);
      const refusal = verdict.whole ? null : `seq ${verdict.seq}: ${verdict.why}`;
      const lines = text.split("\n").filter((line) => line !== "");
      this.#exports.push({ session: id, lines, refusal, commits });
      return;
    }
  }

  figures(): Readonly<Record<string, number>> {
    const trimmed = this.#exports.filter(({ commits }) => commits.some((one) => one.isTrimmed));
    return { exports: this.#exports.length, "exports of trimmed logs": trimmed.length };
  }

  contribute(observations: Observations): Observations {
    return { ...observations, exports: this.#exports };
  }
}

/** Built as the package builds it: Node alone does not find the modules of the source. */
async function loadVerifier(): Promise<Verifier> {
  const entry = join(import.meta.dirname, "../../../../src/verify/index.ts");
  const options = { bundle: true, format: "esm", write: false, logLevel: "error" } as const;
  const { outputFiles } = await build({ ...options, entryPoints: [entry] });
  const code = Buffer.from(outputFiles[0]?.contents ?? []).toString("base64");
  return (await import(`data:text/javascript;base64,${code}`)) as Verifier;
}
