/** A client that sends each request again until its answer is certain: the server may be killed meanwhile. */
import { Client, type Send } from "../../client.ts";
import { sleep } from "../sleep.ts";

const RETRY_MS = 100;
/** Ends what would never end; a killed server is back much sooner. */
const PATIENCE_MS = 120_000;

/** For requests that have a key, or that may happen twice. */
export const patientSend: Send = async (request) => {
  for (const started = Date.now(); ; await sleep(RETRY_MS)) {
    const headers = { ...Object.fromEntries(request.headers), Connection: "close" };
    const response = await fetch(request.clone(), { headers }).catch(() => null);
    if (response !== null && response.status < 500) return response;
    await response?.body?.cancel();
    if (Date.now() - started > PATIENCE_MS) {
      throw new Error(`${request.method} got no certain answer: ${response?.status}`);
    }
  }
};

export const patientClient = (url: string): Client => new Client(patientSend, url);
