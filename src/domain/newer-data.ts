/**
 * How an object says that its storage was written by a newer release. An error keeps its words on the
 * way to the Worker and loses all else, so these words are what the Worker knows it by.
 */
export const NEWER_DATA = "stored by a newer release";
