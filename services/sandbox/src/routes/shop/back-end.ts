import { AppError, type Clock, type Ids } from '@tidings/platform';
import { createValidator } from '@tidings/validation';
import { createHmac } from 'node:crypto';
import { Type } from 'typebox';
import type { ShopConnection } from './connection.ts';

const TOKEN_LIFETIME_SECONDS = 3_600;
const CALL_TIMEOUT_MS = 15_000;
const customUserId = Type.String({ minLength: 1, maxLength: 256 });
const optionalText = Type.Optional(Type.String({ maxLength: 20_000 }));

export const parseSignIn = createValidator<{ readonly customUserId: string }>(
  Type.Object({ customUserId }),
);

type ShopMessage = {
  readonly channel: 'ON_SITE' | 'IN_APP' | 'WEB_PUSH';
  readonly customUserId: string;
  readonly title?: string;
  readonly body: string;
  readonly alignment?: string;
  readonly duration?: number | null;
};
export const parseShopMessage = createValidator<ShopMessage>(
  Type.Object({
    channel: Type.Unsafe<ShopMessage['channel']>({
      type: 'string',
      enum: ['ON_SITE', 'IN_APP', 'WEB_PUSH'],
    }),
    customUserId,
    title: optionalText,
    body: Type.String({ minLength: 1, maxLength: 20_000 }),
    alignment: optionalText,
    duration: Type.Optional(Type.Unsafe<number | null>({ type: ['integer', 'null'], minimum: 0 })),
  }),
);

/**
 * What a customer's server does at sign-in: registers the user, and signs a user token (RFC 7519,
 * HS256).
 */
export async function signIn(
  shop: ShopConnection,
  customer: string,
  { clock, ids }: { readonly clock: Clock; readonly ids: Ids },
): Promise<{ readonly userToken: string }> {
  const now = clock.now();
  await call(shop, '/', {
    customUserId: customer,
    messages: [{ type: 'user', id: ids.uuid(), time: now }],
  });
  const claims = {
    sub: customer,
    iat: Math.floor(now / 1000),
    exp: Math.floor(now / 1000) + TOKEN_LIFETIME_SECONDS,
  };
  const signed = [{ alg: 'HS256', typ: 'JWT' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  return {
    userToken: `${signed}.${createHmac('sha256', shop.userTokenSecret).update(signed).digest('base64url')}`,
  };
}

/** Sends the message of the shop's form to the customer. */
export function sendMessage(
  shop: ShopConnection,
  { channel, customUserId: customer, title, body, alignment, duration }: ShopMessage,
): Promise<unknown> {
  const message = channel === 'WEB_PUSH' ? { title, body } : { title, body, alignment, duration };
  return call(shop, '/push', { recipients: [customer], channel, message });
}

async function call(
  { baseUrl, applicationId, serverKey }: ShopConnection,
  path: string,
  body: unknown,
): Promise<unknown> {
  const headers = {
    'Content-Type': 'application/json',
    'X-Application-Id': applicationId,
    'X-API-Key': serverKey,
  };
  const unavailable = (why: string, cause?: unknown): AppError =>
    new AppError('unavailable', `The shop could not call the service: ${why}.`, { cause });
  const answer = await fetch(`${baseUrl}${path}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(CALL_TIMEOUT_MS),
  }).catch((cause: unknown) => {
    throw unavailable('it is not running', cause);
  });
  if (!answer.ok) throw unavailable(`${path} returned ${answer.status}`);
  return answer.json();
}
