/** Names of more parts are not looked for. */
const SPLITS_MAX = 8;

/** Scripts whose names are written without a space between them. */
const WITHOUT_SPACES =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー]+$/u;

/**
 * The ways in which a text may be two names: the first one whole, the beginning of the second.
 * At most eight, shortest first name first.
 */
export function splitNames(text: string): readonly (readonly [whole: string, beginning: string])[] {
  const isJoined = WITHOUT_SPACES.test(text);
  const parts = isJoined ? Array.from(text) : text.split(/\s+/u);
  const glue = isJoined ? '' : ' ';
  return parts.slice(1, SPLITS_MAX + 1).map((_part, at) => [
    parts
      .slice(0, at + 1)
      .join(glue)
      .replace(/,$/, ''),
    parts.slice(at + 1).join(glue),
  ]);
}
