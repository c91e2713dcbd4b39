/** Finds files below a folder that contain a token, or only the secret at its end. */
import { readIfThere } from "./secret-scan.ts";
import { filesUnder } from "./server.ts";

const SECRET_LENGTH = 32;

export const secretsIn = (folder: string, secrets: readonly string[]): readonly string[] =>
  filesUnder(folder).filter((path) => {
    const bytes = readIfThere(path);
    return secrets.some(
      (secret) => bytes.includes(secret) || bytes.includes(secret.slice(-SECRET_LENGTH)),
    );
  });
