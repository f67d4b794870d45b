/**
 * Names such as `Europe/Berlin` or `UTC`. Offsets such as `+02:00` are not accepted: they would
 * ignore daylight saving time.
 */
const NAME = /^[A-Za-z][\w+/-]{0,63}$/;

/** Whether `text` is the IANA name of a time zone that this runtime knows. */
export function isTimeZone(text: string): boolean {
  if (!NAME.test(text)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: text });
    return true;
  } catch {
    return false;
  }
}
