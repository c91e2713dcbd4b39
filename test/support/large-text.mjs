/** Returns a deterministic text of this many bytes in which no two parts are equal. */
export function largeText(bytes) {
  const piece = "The water damage on Oak Street, in every detail. ";
  const lines = [];
  for (let length = 0, n = 0; length < bytes; n += 1) {
    const line = `${n} ${piece.repeat(20)}`;
    lines.push(line);
    length += line.length;
  }
  return lines.join("").slice(0, bytes);
}
