/** Files and large content over HTTP, up and down. */
import { numberOf } from "../domain/ids";
import { Blobs } from "../gateway/blobs";
import { Uploads } from "../gateway/uploads";
import { answerFile } from "../gateway/download";
import { answerJson } from "./answers";
import {
  commandHandlerWith,
  answerWrite,
  answerRefusal,
  type SomeHandlers,
  type Input,
} from "./handler";

const uploadIn = (params: Input["params"]): number =>
  numberOf(params["uploadId"] ?? "", "upl_") ?? 0;

export const fileHandlers = {
  requestUpload: commandHandlerWith(
    ({ body }: Input<"requestUpload">) => ({ operation: "requestUpload", ...body }),
    ({ outcome }) => ({ upload: outcome["upload"] }),
    201,
  ),

  confirmUpload: commandHandlerWith(
    ({ body, params }: Input<"confirmUpload">) => ({
      operation: "confirmUpload",
      upload: uploadIn(params),
      ...body,
    }),
    ({ outcome }) => ({ upload: outcome["upload"] }),
  ),

  async putUpload({ use, principal, params, raw }) {
    const { body, headers } = raw;
    const length = headers.get("Content-Length");
    const type = headers.get("Content-Type");
    const reply = await use(Uploads).put(principal, uploadIn(params), { body, length, type });
    return reply.ok ? answerJson(200, reply.value) : answerRefusal(reply);
  },

  async getUpload({ use, principal, params }) {
    const reply = await use(Uploads).get(principal, uploadIn(params));
    return reply.ok ? answerFile(reply.value) : answerRefusal(reply);
  },

  async removeUpload(input) {
    const { gateway, principal, params, use } = input;
    const command = { operation: "removeUpload", upload: uploadIn(params) } as const;
    const reply = await gateway.write(principal, command, input);
    if (!reply.ok) return answerRefusal(reply);
    await use(Uploads).deleteFile(reply.value.outcome["removedKey"]);
    return answerWrite(reply.value);
  },

  async putBlob({ use, principal, params, raw }) {
    const { body, headers } = raw;
    const incoming = { body, length: headers.get("Content-Length"), type: null };
    const reply = await use(Blobs).put(principal, params["sha256"] ?? "", incoming);
    if (!reply.ok) return answerRefusal(reply);
    const { isNew, ...blob } = reply.value;
    return answerJson(isNew ? 201 : 200, blob);
  },

  async getBlob({ use, principal, params }) {
    const reply = await use(Blobs).get(principal, params["sha256"] ?? "");
    return reply.ok ? answerFile(reply.value) : answerRefusal(reply);
  },
} satisfies SomeHandlers;
