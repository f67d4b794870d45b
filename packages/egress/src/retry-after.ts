/**
 * Milliseconds of a `Retry-After` header, in seconds or as a date (RFC 9110, 10.2.3); undefined if
 * it is invalid.
 */
export function parseRetryAfterMs(
  header: string | string[] | undefined,
  nowMs: number,
): number | undefined {
  const text = Array.isArray(header) ? header[0] : header;
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text.trim())) return Number(text) * 1000;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
}
