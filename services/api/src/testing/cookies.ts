/** The value of a cookie that a response sets; empty if it clears the cookie. */
export function readCookie(headers: Headers, name = 'tidings-sid'): string {
  const found = headers.getSetCookie().find((cookie) => cookie.startsWith(`${name}=`));
  if (found === undefined) throw new Error(`no cookie ${name}`);
  return found.slice(name.length + 1).split(';', 1)[0] ?? '';
}
