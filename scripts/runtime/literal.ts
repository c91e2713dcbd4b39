/** String literals of workerd's configuration, which is written in Cap'n Proto. */

/** Cap'n Proto does not know all escapes of JSON, so all bytes but printable ASCII are written as `\xNN`. */
export const quoted = (text: string): string =>
  `"${[...Buffer.from(text, "utf8")].map(escapedByte).join("")}"`;

function escapedByte(byte: number): string {
  const char = String.fromCharCode(byte);
  if (char === '"' || char === "\\") return `\\${char}`;
  return byte >= 0x20 && byte < 0x7f ? char : `\\x${byte.toString(16).padStart(2, "0")}`;
}
