/** Sends one ARCP hello to the Worker inside the test runtime and returns the first frame. */
import type { Send } from "./client";

export interface Frame {
  readonly type: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- frames hold payloads of every shape
  readonly payload: any;
}

export async function greetArcp(send: Send, hello: object): Promise<Frame> {
  const url = "http://localhost:8787/arcp";
  const { webSocket } = await send(new Request(url, { headers: { Upgrade: "websocket" } }));
  if (webSocket === null || webSocket === undefined) throw new Error("no socket was opened");
  const answer = new Promise<Frame>((resolve) => {
    webSocket.addEventListener(
      "message",
      ({ data }) => resolve(JSON.parse(String(data)) as Frame),
      {
        once: true,
      },
    );
  });
  webSocket.accept();
  const payload = { client: { name: "test" }, ...hello };
  webSocket.send(JSON.stringify({ arcp: "1.1", id: "m1", type: "session.hello", payload }));
  const frame = await answer;
  webSocket.close(1000);
  return frame;
}
