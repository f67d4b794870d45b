/** What callers of questions about few users should know. */
export const USER_QUESTION_BUSY =
  '503 when the answer takes more than 10 s, waits for others for more than 5 s, or too many wait. 429 beyond 120 such questions a minute, or 30 at once, of a key, administrator token or member.';
