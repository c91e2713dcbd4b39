/** `baton/verify`: checks exports, receipts and certificates without the server they came from. */
export { verifyDocument, type SignedDocument } from "./document";
export { keptHeadIn, type KeptHead } from "./kept-head";
export type { VerificationKey } from "./signature";
export { verifyExport, type NotWhole, type Signature, type Verdict, type Whole } from "./verify";
