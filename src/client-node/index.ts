/** `@baton-sessions/baton/client/node`: what of the SDK needs Node's own modules. */
export { FileTokenStore, type FileTokenStoreOptions } from "./file-token-store";
export { withFileLock, type LockOptions } from "./file-lock";
