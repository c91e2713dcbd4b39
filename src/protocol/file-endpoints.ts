/** Routes of uploads and downloads. */
import * as z from "zod";
import { done, made, MOVE, reads, resumeToken, writes, type Endpoint } from "./endpoint";
import { requestUploadBody, confirmUploadBody } from "./file-requests";
import { shownSchema, uploadSchema } from "./session";
import { named } from "./shapes";

const uploaded = named("UploadAnswer", { session: shownSchema, resumeToken, upload: uploadSchema });

const keptBlob = named("KeptBlob", { sha256: z.string(), size: z.int() });

export const fileEndpoints = {
  requestUpload: {
    ...writes("Announce a file; then PUT its bytes and confirm", "Files", MOVE),
    path: "/sessions/{ref}/uploads",
    body: requestUploadBody,
    answers: made("Announced", uploaded),
  },
  putUpload: {
    method: "put",
    path: "/sessions/{ref}/uploads/{uploadId}",
    summary: "Send a file's bytes, with their length; may be repeated until confirmed",
    tag: "Files",
    takesFile: true,
    answers: done("Arrived", named("UploadArrived", { size: z.int(), sha256: z.string() })),
    failures: [
      "illegal_transition",
      "invalid_request",
      "not_found",
      "length_required",
      "too_large",
      "unsupported_media_type",
    ],
  },
  confirmUpload: {
    ...writes("Confirm a file; its field then shows it", "Files"),
    path: "/sessions/{ref}/uploads/{uploadId}/confirm",
    body: confirmUploadBody,
    answers: done("Confirmed", uploaded),
    failures: [...MOVE, "not_found", "invalid_fields"],
  },
  getUpload: {
    ...reads("Download a confirmed file", "Files"),
    path: "/sessions/{ref}/uploads/{uploadId}",
    answers: { 200: { description: "The file", file: true } },
    failures: ["not_found"],
  },
  removeUpload: {
    ...writes("Remove a file, also from its field", "Files"),
    method: "delete",
    path: "/sessions/{ref}/uploads/{uploadId}",
    failures: [...MOVE, "not_found"],
  },
  putBlob: {
    method: "put",
    path: "/sessions/{ref}/blobs/{sha256}",
    summary: "Store large content under its SHA-256, so that events can refer to it",
    tag: "Files",
    takesFile: true,
    answers: {
      201: { description: "Stored", schema: keptBlob },
      200: { description: "The same bytes were already stored", schema: keptBlob },
    },
    failures: ["illegal_transition", "invalid_request", "length_required", "too_large"],
  },
  getBlob: {
    ...reads("Read large content by its SHA-256", "Files"),
    path: "/sessions/{ref}/blobs/{sha256}",
    answers: { 200: { description: "The bytes", file: true } },
    failures: ["invalid_request", "not_found"],
  },
} as const satisfies Record<string, Endpoint>;
