/** The size of a session's row, as the limit counts it. */
import { CHANGING_COLUMNS } from "../../src/storage/session-columns";
import type { CreatedSession } from "./client";
import { inside } from "./worker";

/** The sum of its texts, and eight bytes for each other value. */
export const bytesOfSession = (session: Pick<CreatedSession, "id">): Promise<number> =>
  inside(session, (_, { storage }) => {
    const row = storage.sql
      .exec(
        `SELECT ${[...CHANGING_COLUMNS.names, "participants", "plan", "news", "schema"].join(", ")}
        FROM session`,
      )
      .one();
    const sizes = Object.values(row).map((cell) =>
      typeof cell === "string" ? new TextEncoder().encode(cell).length : 8,
    );
    return sizes.reduce((sum, size) => sum + size, 0);
  });
