/** Routes of uploads and downloads. */
import * as z from "zod";
import { type Endpoint, BODY, TOKEN, MOVE, writes, writtenWith } from "./endpoint";
import { requestUploadBody, confirmUploadBody } from "./file-requests";
import { uploadSchema } from "./session";

const uploaded = writtenWith("UploadAnswer", { upload: uploadSchema });

const keptBlob = z.object({ sha256: z.string(), size: z.int() }).meta({ id: "KeptBlob" });

export const fileEndpoints = {
  requestUpload: {
    ...writes("Announce a file; then PUT its bytes and confirm", "Files"),
    path: "/sessions/{ref}/uploads",
    body: requestUploadBody,
    answers: { 201: { description: "Announced", schema: uploaded } },
    failures: MOVE,
  },
  putUpload: {
    method: "put",
    path: "/sessions/{ref}/uploads/{uploadId}",
    summary: "Send a file's bytes, with their length; may be repeated until confirmed",
    tag: "Files",
    takesFile: true,
    answers: {
      200: {
        description: "Arrived",
        schema: z.object({ size: z.int(), sha256: z.string() }).meta({ id: "UploadArrived" }),
      },
    },
    failures: [
      ...TOKEN,
      "illegal_transition",
      "invalid_request",
      "not_found",
      "length_required",
      ...BODY,
    ],
  },
  confirmUpload: {
    ...writes("Confirm a file; its field then shows it", "Files"),
    path: "/sessions/{ref}/uploads/{uploadId}/confirm",
    body: confirmUploadBody,
    bodyOptional: true,
    answers: { 200: { description: "Confirmed", schema: uploaded } },
    failures: [...MOVE, "not_found", "invalid_fields"],
  },
  getUpload: {
    method: "get",
    path: "/sessions/{ref}/uploads/{uploadId}",
    summary: "Download a confirmed file",
    tag: "Files",
    answers: { 200: { description: "The file", file: true } },
    failures: [...TOKEN, "not_found"],
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
    summary:
      "Keep large content under its SHA-256, for events to name; the same bytes are kept once",
    tag: "Files",
    takesFile: true,
    answers: {
      201: { description: "Kept", schema: keptBlob },
      200: { description: "The same bytes were there already", schema: keptBlob },
    },
    failures: [...TOKEN, "illegal_transition", "invalid_request", "length_required", "too_large"],
  },
  getBlob: {
    method: "get",
    path: "/sessions/{ref}/blobs/{sha256}",
    summary: "Read large content by its SHA-256",
    tag: "Files",
    answers: { 200: { description: "The bytes", file: true } },
    failures: [...TOKEN, "invalid_request", "not_found"],
  },
} as const satisfies Record<string, Endpoint>;
