/** The codes of a mail server's answer, and its words from the first reply on. */
export type ReplyCodes = {
  /** RFC 5321; null where there is none. */
  readonly reply: number | null;
  /** RFC 3463; empty where there is none. */
  readonly status: string;
  readonly words: string;
};

const STATUS = String.raw`[245]\.\d{1,3}\.\d{1,3}(?!\.?\d)`;
/** A whole status field; what follows is a comment. */
const STATUS_FIELD = new RegExp(String.raw`^\s*(${STATUS})`);
/**
 * The start of a reply: at the start of a line, or behind the punctuation that introduces a quoted
 * one, as `smtp; 550 …`, `said: 550 …`, `<<< 550 …`, `#550 …` and `error 550-'…'`. Gateways put a code before a
 * code. Its status follows at once: three numbers elsewhere in a text may be an IP address.
 */
const REPLY = new RegExp(
  String.raw`(?:^|[\n:;<>"'(#]|error(?= \d{3}-'))[ \t]*([45][0-5]\d)(?:[ -]+[45][0-5]\d(?=[ -]))?(?=[\s-])[ \t-]*['"#(]*(${STATUS})?`,
);
/** A status that stands alone: at the start of a line, behind `smtp;`, or marked as `(#5.1.1)`. */
const LONE_STATUS = new RegExp(String.raw`(?:^|\n|;|#)[ \t]*(${STATUS})`);

/** The code of a `Status` field; empty if it has none. */
export function readStatus(field: string): string {
  return STATUS_FIELD.exec(field)?.[1] ?? '';
}

/** Reads a reply of SMTP, a diagnostic of a report (RFC 3464), or words that quote one. */
export function readReplyCodes(text: string): ReplyCodes {
  const reply = REPLY.exec(text);
  const lone = LONE_STATUS.exec(text);
  if (reply === null) return { reply: null, status: lone?.[1] ?? '', words: text };
  return {
    reply: Number(reply[1]),
    status: reply[2] ?? lone?.[1] ?? '',
    words: text.slice(reply.index),
  };
}
