const CHARS_MAX = 1_024;
const HIDDEN = '…';

/** Addresses, numbers and secrets that a receiver may echo; none is kept. */
const PERSONAL = /\S*@\S*|\+?\d[\d ().-]{5,}|[\w+/=-]{24,}/g;

/** The beginning of a response on one line, without personal data, to help debug the receiver. */
export function redactedExcerpt(answer: string): string {
  return answer
    .slice(0, CHARS_MAX)
    .replaceAll(PERSONAL, HIDDEN)
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .toWellFormed();
}
