/** `@baton-sessions/baton/client/node`: the parts of the SDK that need Node. */
export { FileTokenStore, type FileTokenStoreOptions } from "./file-token-store";
export { withFileLock, type LockOptions } from "./file-lock";
