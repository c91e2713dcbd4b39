/** Routes of uploads and downloads. */
import * as z from "zod";
import {
  okResponse,
  createdResponse,
  VERSIONED_WRITE_FAILURES,
  readRoute,
  resumeToken,
  writeRoute,
  type ApiRoute,
} from "./api-route";
import { requestUploadBody, confirmUploadBody } from "./file-requests";
import { visibleSessionSchema, uploadSchema } from "./session-schemas";
import { namedSchema } from "./named-schemas";

const uploadAnswer = namedSchema("UploadAnswer", {
  session: visibleSessionSchema,
  resumeToken,
  upload: uploadSchema,
});

const storedBlob = namedSchema("KeptBlob", { sha256: z.string(), size: z.int() });

export const fileRoutes = {
  requestUpload: {
    ...writeRoute(
      "Announce a file; then PUT its bytes and confirm",
      "Files",
      VERSIONED_WRITE_FAILURES,
    ),
    path: "/sessions/{ref}/uploads",
    body: requestUploadBody,
    responses: createdResponse("Announced", uploadAnswer),
  },
  putUpload: {
    method: "put",
    path: "/sessions/{ref}/uploads/{uploadId}",
    summary: "Send a file's bytes, with their length; may be repeated until confirmed",
    tag: "Files",
    takesFile: true,
    responses: okResponse(
      "Arrived",
      namedSchema("UploadArrived", { size: z.int(), sha256: z.string() }),
    ),
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
    ...writeRoute("Confirm a file; its field then shows it", "Files"),
    path: "/sessions/{ref}/uploads/{uploadId}/confirm",
    body: confirmUploadBody,
    responses: okResponse("Confirmed", uploadAnswer),
    failures: [...VERSIONED_WRITE_FAILURES, "not_found", "invalid_fields"],
  },
  getUpload: {
    ...readRoute("Download a confirmed file", "Files"),
    path: "/sessions/{ref}/uploads/{uploadId}",
    responses: { 200: { description: "The file", file: true } },
    failures: ["not_found"],
  },
  removeUpload: {
    ...writeRoute("Remove a file, also from its field", "Files"),
    method: "delete",
    path: "/sessions/{ref}/uploads/{uploadId}",
    failures: [...VERSIONED_WRITE_FAILURES, "not_found"],
  },
  putBlob: {
    method: "put",
    path: "/sessions/{ref}/blobs/{sha256}",
    summary: "Store large content under its SHA-256, so that events can refer to it",
    tag: "Files",
    takesFile: true,
    responses: {
      201: { description: "Stored", schema: storedBlob },
      200: { description: "The same bytes were already stored", schema: storedBlob },
    },
    failures: ["illegal_transition", "invalid_request", "length_required", "too_large"],
  },
  getBlob: {
    ...readRoute("Read large content by its SHA-256", "Files"),
    path: "/sessions/{ref}/blobs/{sha256}",
    responses: { 200: { description: "The bytes", file: true } },
    failures: ["invalid_request", "not_found"],
  },
} as const satisfies Record<string, ApiRoute>;
