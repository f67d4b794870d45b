const CHARS_MAX = 1_024;
const HIDDEN = '…';

/** Addresses, numbers and secrets that a receiver may repeat: nothing of them is kept. */
const PERSONAL = /\S*@\S*|\+?\d[\d ().-]{5,}|[\w+/=-]{24,}/g;

/** The beginning of an answer, for whoever looks for a fault of the receiver: text on one line, without a person's data. */
export function redactedExcerpt(answer: string): string {
  return answer
    .slice(0, CHARS_MAX)
    .replaceAll(PERSONAL, HIDDEN)
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .toWellFormed();
}
