import { SESSION_AGE_MAX_MS } from '@tidings/accounts/members/sessions';
import type { TlsReader } from '@tidings/platform';
import type { Request, Response } from 'express';

/** A cookie that only this very host gets, and only over TLS; browsers refuse such a one over plain http. */
const SECURE = { prefix: '__Host-', attributes: 'Path=/; Secure; HttpOnly; SameSite=Lax' } as const;
/** For one's own machine. Over TLS it is never believed: anybody who speaks plain http for this host could have set it. */
const LOOPBACK = { prefix: 'tidings-', attributes: 'Path=/; HttpOnly; SameSite=Lax' } as const;
const LOOPBACK_HOST = /^(?:127(?:\.\d{1,3}){3}|localhost|\[::1\])(?::\d{1,5})?$/i;

/** Longer than any session, so that one that has ended can be told from none. */
const AGE_SECONDS = (2 * SESSION_AGE_MAX_MS) / 1000;

/** Reads and writes the cookies of the pages. */
export interface Cookies {
  read(req: Request, name: CookieName): string | undefined;
  write(
    req: Request,
    res: Response,
    cookie: { readonly name: CookieName; readonly value: string; readonly ageSeconds?: number },
  ): void;
  clear(req: Request, res: Response, name: CookieName): void;
}
/** `sid`: the session. `oidc`: a sign-in at the identity provider that is under way. */
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

/** Values of ours need no decoding. */
function readCookie(header: string | undefined, name: string): string | undefined {
  const found = (header ?? '')
    .split(';')
    .map((part) => part.trim())
    .find((part) => part.startsWith(`${name}=`));
  const value = found?.slice(name.length + 1);
  return value === '' ? undefined : value;
}
