/** Keeps what a trim removes, in the same transaction, so that the whole log can be checked. */
export const KEEP_TRIMMED = [
  `CREATE TABLE IF NOT EXISTS trimmed (first_seq, last_seq, participant, events)`,
  `CREATE TRIGGER IF NOT EXISTS keep_trimmed AFTER DELETE ON commits BEGIN
    INSERT INTO trimmed VALUES (OLD.first_seq, OLD.last_seq, OLD.participant, OLD.events);
  END`,
];
