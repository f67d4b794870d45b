const FORM = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

/**
 * Whether a text is a date of the interface: `YYYY-MM-DDTHH:mm:ss.sssZ`, and a real instant. The
 * year 0 is none: Postgres does not know it.
 */
export function isDateText(text: string): boolean {
  if (!FORM.test(text) || text.startsWith('0000')) return false;
  const at = Date.parse(text);
  return !Number.isNaN(at) && new Date(at).toISOString() === text;
}
