import { SESSION_AGE_MAX_MS } from '@tidings/accounts/members/sessions';
import type { TlsReader } from '@tidings/http/client-address';
import type { Request, Response } from 'express';

/** Sent to this exact host over TLS only. Browsers reject such cookies over plain http. */
const SECURE = { prefix: '__Host-', attributes: 'Path=/; Secure; HttpOnly; SameSite=Lax' } as const;
/**
 * For plain http on loopback. Never accepted over TLS: a plain http response for the same host
 * could have set it.
 */
const LOOPBACK = { prefix: 'tidings-', attributes: 'Path=/; HttpOnly; SameSite=Lax' } as const;
const LOOPBACK_HOST = /^(?:127(?:\.\d{1,3}){3}|localhost|\[::1\])(?::\d{1,5})?$/i;

/** Longer than any session, so that an expired session can be told from none. */
const AGE_SECONDS = (2 * SESSION_AGE_MAX_MS) / 1000;

/** Reads and writes the dashboard cookies. */
export interface Cookies {
  read(req: Request, name: CookieName): string | undefined;
  write(
    req: Request,
    res: Response,
    cookie: { readonly name: CookieName; readonly value: string; readonly ageSeconds?: number },
  ): void;
  clear(req: Request, res: Response, name: CookieName): void;
}
/** `sid`: the session. `oidc`: a pending sign-in at the identity provider. */
type CookieName = 'sid' | 'oidc';

export function createCookies(isTls: TlsReader): Cookies {
  const cookieKind = (req: Request) =>
    !isTls(req) && LOOPBACK_HOST.test(req.headers.host ?? '') ? LOOPBACK : SECURE;
  const set = (
    req: Request,
    res: Response,
    {
      name,
      value,
      ageSeconds,
    }: { readonly name: CookieName; readonly value: string; readonly ageSeconds: number },
  ): void => {
    const { prefix, attributes } = cookieKind(req);
    res.append('Set-Cookie', `${prefix}${name}=${value}; Max-Age=${ageSeconds}; ${attributes}`);
  };
  return {
    read: (req, name) => readCookie(req.headers.cookie, `${cookieKind(req).prefix}${name}`),
    write: (req, res, { name, value, ageSeconds = AGE_SECONDS }) =>
      set(req, res, { name, value, ageSeconds }),
    clear: (req, res, name) => set(req, res, { name, value: '', ageSeconds: 0 }),
  };
}

/** Our cookie values need no decoding. */
function readCookie(header: string | undefined, name: string): string | undefined {
  const found = (header ?? '')
    .split(';')
    .map((part) => part.trim())
    .find((part) => part.startsWith(`${name}=`));
  const value = found?.slice(name.length + 1);
  return value === '' ? undefined : value;
}
