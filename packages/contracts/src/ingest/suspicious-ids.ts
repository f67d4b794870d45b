/**
 * What programs write in the place of an id that they do not have. Events of many people under such
 * an id look like those of one. In lower case, without spaces around them.
 */
const PLACEHOLDERS: ReadonlySet<string> = new Set(
  (
    '|null|nil|none|undefined|void|nan|infinity|-infinity|true|false|0|-1|n/a|na|-|(null)|<null>|<nil>|\\n|""|' +
    "''|{}|[]|[object object]|anonymous|guest|unknown|customuserid|distinct_id|userid|user_id"
  ).split('|'),
);
const EMPTY_UUID = /^(?:0{8}-?(?:0{4}-?){3}0{12}|f{8}-?(?:f{4}-?){3}f{12})$/;
/** A longer text is none of these. */
const CHARS_MAX = 48;

/** Whether an id of a user stands for a missing one, as `undefined` or an empty UUID. */
export function isSuspiciousId(id: string): boolean {
  if (id.length > CHARS_MAX) return false;
  const text = id.trim().toLowerCase();
  return PLACEHOLDERS.has(text) || isEmptyUuid(text);
}

/** Whether it is a UUID of zeros alone, or of `f` alone, in lower case. */
export const isEmptyUuid = (text: string): boolean => EMPTY_UUID.test(text);
