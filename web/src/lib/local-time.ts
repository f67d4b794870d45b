const MINUTE_MS = 60_000;

/** An instant as the text of a date field, `2026-12-24T09:00`, in the time zone of this browser. Empty for NaN. */
export function toLocalText(at: number): string {
  if (Number.isNaN(at)) return '';
  const local = at - new Date(at).getTimezoneOffset() * MINUTE_MS;
  return new Date(local).toISOString().slice(0, 'YYYY-MM-DDTHH:MM'.length);
}
