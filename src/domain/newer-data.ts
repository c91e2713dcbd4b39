/**
 * The message of the error that an object throws if its storage was written by a newer release. On
 * the way to the Worker an error keeps only its message, so the Worker recognises it by this text.
 */
export const NEWER_DATA = "stored by a newer release";
