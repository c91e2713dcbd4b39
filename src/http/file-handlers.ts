/** Files and large content over HTTP, up and down. */
import { numberOf } from "../domain/ids";
import { Blobs } from "../gateway/blobs";
import { Uploads } from "../gateway/uploads";
import { answerFile } from "../gateway/download";
import { answerJson } from "./answers";
import { answering, answerWrite, refused, type SomeHandlers, type Input } from "./handler";

const uploadIn = (params: Input["params"]): number =>
  numberOf(params["uploadId"] ?? "", "upl_") ?? 0;

export const fileHandlers = {
  requestUpload: answering(
    ({ body }: Input<"requestUpload">) => ({ operation: "requestUpload", ...body }),
    ({ outcome }) => ({ upload: outcome["upload"] }),
    201,
  ),

  confirmUpload: answering(
    ({ body, params }: Input<"confirmUpload">) => ({
      operation: "confirmUpload",
      upload: uploadIn(params),
      ...body,
    }),
    ({ outcome }) => ({ upload: outcome["upload"] }),
  ),

  async putUpload({ use, presented, params, raw }) {
    const { body, headers } = raw;
    const length = headers.get("Content-Length");
    const type = headers.get("Content-Type");
    const reply = await use(Uploads).put(presented, uploadIn(params), { body, length, type });
    return reply.ok ? answerJson(200, reply.value) : refused(reply);
  },

  async getUpload({ use, presented, params }) {
    const reply = await use(Uploads).get(presented, uploadIn(params));
    return reply.ok ? answerFile(reply.value) : refused(reply);
  },

  async removeUpload(input) {
    const { gateway, presented, params, use } = input;
    const command = { operation: "removeUpload", upload: uploadIn(params) } as const;
    const reply = await gateway.write(presented, command, input);
    if (!reply.ok) return refused(reply);
    await use(Uploads).forget(reply.value.outcome["removedKey"]);
    return answerWrite(reply.value);
  },

  async putBlob({ use, presented, params, raw }) {
    const { body, headers } = raw;
    const incoming = { body, length: headers.get("Content-Length"), type: null };
    const reply = await use(Blobs).put(presented, params["sha256"] ?? "", incoming);
    if (!reply.ok) return refused(reply);
    const { isNew, ...blob } = reply.value;
    return answerJson(isNew ? 201 : 200, blob);
  },

  async getBlob({ use, presented, params }) {
    const reply = await use(Blobs).get(presented, params["sha256"] ?? "");
    return reply.ok ? answerFile(reply.value) : refused(reply);
  },
} satisfies SomeHandlers;
