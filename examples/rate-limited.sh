#!/bin/sh
# Behaves like an agent: it is rate limited twice, then its context is full, then it finishes.
# COUNT_FILE stores how often it was started.
COUNT_FILE=${COUNT_FILE:-.rate-limited-count}
count=$(($(cat "$COUNT_FILE" 2>/dev/null || echo 0) + 1))
echo "$count" >"$COUNT_FILE"
echo "start $count (attempt ${BATON_ATTEMPT:-1})"
case $count in
  1) echo "Error: 429 rate limit exceeded, retry after 1 s" >&2; exit 1 ;;
  2) echo "Error: 429 rate limit exceeded" >&2; exit 1 ;;
  3) echo "Error: maximum context length exceeded" >&2; exit 1 ;;
  *) echo "all done" ;;
esac
