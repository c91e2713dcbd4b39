/** Files and large content over HTTP, up and down. */
import { numberOf } from "../domain/ids";
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

  async putUpload({ uploads, presented, params, raw }) {
    const { body, headers } = raw;
    const length = headers.get("Content-Length");
    const type = headers.get("Content-Type");
    const reply = await uploads.put(presented, uploadIn(params), { body, length, type });
    return reply.ok ? answerJson(200, reply.value) : refused(reply);
  },

  async getUpload({ uploads, presented, params }) {
    const reply = await uploads.get(presented, uploadIn(params));
    return reply.ok ? answerFile(reply.value) : refused(reply);
  },

  async removeUpload(input) {
    const { gateway, presented, params, uploads } = input;
    const command = { operation: "removeUpload", upload: uploadIn(params) } as const;
    const reply = await gateway.write(presented, command, input);
    if (!reply.ok) return refused(reply);
    await uploads.forget(reply.value.outcome["removedKey"]);
    return answerWrite(reply.value);
  },

  async putBlob({ blobs, presented, params, raw }) {
    const { body, headers } = raw;
    const length = headers.get("Content-Length");
    const reply = await blobs.put(presented, params["sha256"] ?? "", { body, length, type: null });
    if (!reply.ok) return refused(reply);
    const { isNew, ...blob } = reply.value;
    return answerJson(isNew ? 201 : 200, blob);
  },

  async getBlob({ blobs, presented, params }) {
    const reply = await blobs.get(presented, params["sha256"] ?? "");
    return reply.ok ? answerFile(reply.value) : refused(reply);
  },
} satisfies SomeHandlers;
