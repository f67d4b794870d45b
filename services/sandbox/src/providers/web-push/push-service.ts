import { mountRoute } from '@tidings/http/app';
import type { Clock } from '@tidings/platform';
import type { Express, Request, RequestHandler, Response } from 'express';
import { randomBytes } from 'node:crypto';
import type { UnregisteredDevices } from '../../devices/unregistered-devices.ts';
import type { ReceivedMessage } from '../../messages/message.ts';
import { resetIfFaulted, sendAnswer } from '../http-faults.ts';
import type { ProviderContext } from '../provider.ts';
import type { KnownSubscription, Subscriptions } from './browser-keys.ts';
import { decryptPush } from './decrypt.ts';
import {
  BAD_CRYPTO,
  BAD_TOPIC,
  BAD_URGENCY,
  renderBody,
  NO_SUCH_SUBSCRIPTION,
  NO_TTL,
  OTHER_KEY,
  rejectionForFault,
  SUBSCRIPTION_GONE,
  TOO_LARGE,
  unauthenticated,
  type PushRejection,
} from './rejections.ts';
import { verifySender, type Sender } from './vapid.ts';

export type PushServiceContext = ProviderContext & {
  readonly clock: Clock;
  readonly subscriptions: Subscriptions;
  readonly gone: UnregisteredDevices;
  /** Called with each stored push. */ readonly onPush: (message: ReceivedMessage) => void;
};

const PATH = '/wpush';
/** RFC 8030, 7.2. */
const BODY_BYTES_MAX = 4_096;
const READ_BYTES_MAX = 64 * 1024;
const GONE = 410;

/** Origin under which this sandbox was reached; a proxy in front of it has its own endpoints. */
export const originOf = (req: Request): string => `${req.protocol}://${req.headers.host}`;

/** Push endpoint of a subscription. */
export const endpointOf = (req: Request, { id }: KnownSubscription): string =>
  `${originOf(req)}${PATH}/${id}`;

/**
 * A push service (RFC 8030) and its browsers: checks the sender, decrypts, and rejects what a
 * browser could not read. Faults: `reset` before the request is read; `reject` (410 or the given
 * status) and `status` reject it; `delay` and `drop_reply` apply after it was stored.
 */
export function mountPushService(app: Express, ctx: PushServiceContext): void {
  const receive = async (req: Request, res: Response): Promise<void> => {
    const subscription = ctx.subscriptions.find(String(req.params['id']));
    const taken =
      subscription === undefined ? NO_SUCH_SUBSCRIPTION : checkPush(req, subscription, ctx);
    const refusal = 'status' in taken ? taken : undefined;
    if (subscription !== undefined && !('status' in taken)) {
      const message = toMessage(req, subscription, taken);
      await ctx.store.keep([message]);
      ctx.onPush(message);
    }
    await sendAnswer('WEB_PUSH', ctx.faults, {
      req,
      res,
      outcome: {
        ...(refusal === undefined
          ? {}
          : {
              refusal: {
                status: refusal.status,
                ...(refusal.retryAfterSeconds === undefined
                  ? {}
                  : { retryAfterSeconds: refusal.retryAfterSeconds }),
              },
            }),
        answer: () => {
          if (refusal === undefined)
            res
              .status(201)
              .set({
                Location: `${originOf(req)}/m/${randomBytes(12).toString('base64url')}`,
                TTL: String(req.headers['ttl']),
              })
              .end();
          else answerRefusal(req, res, refusal);
        },
      },
    });
  };
  mountRoute(app, `${PATH}/:id`, {
    POST: [resetIfFaulted('WEB_PUSH', ctx.faults), readBytes, receive],
  });
}

/** The raw body: express would undo its Content-Encoding, which the browser must undo. */
const readBytes: RequestHandler = async (req, _res, next) => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of req as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= READ_BYTES_MAX) chunks.push(chunk);
  }
  req.body = Buffer.concat(chunks);
  next();
};

function answerRefusal(req: Request, res: Response, refusal: PushRejection): void {
  if (refusal.status >= 300 && refusal.status < 400) res.location(`${originOf(req)}/elsewhere`);
  res.status(refusal.status).json(renderBody(refusal));
}

type Taken = { readonly sender: Sender; readonly text: string };

function checkPush(
  req: Request,
  subscription: KnownSubscription,
  ctx: PushServiceContext,
): Taken | PushRejection {
  const { ttl, topic, urgency = 'normal' } = req.headers;
  const body = Buffer.isBuffer(req.body) ? req.body : Buffer.alloc(0);
  const sender = verifySender(req.headers.authorization, {
    audience: originOf(req),
    nowMs: ctx.clock.now(),
  });
  if (typeof sender === 'string') return unauthenticated(sender);
  if (ctx.gone.has(subscription.id)) return SUBSCRIPTION_GONE;
  if (
    subscription.applicationServerKey !== null &&
    subscription.applicationServerKey !== sender.publicKey
  )
    return OTHER_KEY;
  if (!/^\d{1,10}$/.test(String(ttl))) return NO_TTL;
  if (topic !== undefined && !/^[A-Za-z0-9_-]{1,32}$/.test(String(topic))) return BAD_TOPIC;
  if (!['very-low', 'low', 'normal', 'high'].includes(String(urgency))) return BAD_URGENCY;
  if (body.length > BODY_BYTES_MAX) return TOO_LARGE;
  const text =
    req.headers['content-encoding'] === 'aes128gcm' ? decrypted(body, subscription, ctx) : null;
  if (text === null) return BAD_CRYPTO;
  return findRejection(ctx) ?? { sender, text };
}

function findRejection({ faults }: ProviderContext): PushRejection | undefined {
  const rejected = faults.strike('WEB_PUSH', 'reject');
  const fault =
    rejected === undefined
      ? faults.strike('WEB_PUSH', 'status')
      : { ...rejected, status: rejected.status ?? GONE };
  return fault && rejectionForFault(fault);
}

function decrypted(
  body: Buffer,
  subscription: KnownSubscription,
  { subscriptions }: PushServiceContext,
): string | null {
  try {
    return decryptPush(body, subscriptions.keysOf(subscription)).toString('utf8');
  } catch {
    return null;
  }
}

function toMessage(req: Request, subscription: KnownSubscription, { sender, text }: Taken) {
  const notification = parseNotification(text);
  const { ttl, topic, urgency } = req.headers;
  const head = Object.entries(req.headers).map(([name, value]) => `${name}: ${String(value)}`);
  return {
    channel: 'WEB_PUSH' as const,
    to: endpointOf(req, subscription),
    campaignId: asText(notification['campaignId']),
    deliveryId: asText(notification['deliveryId']),
    title: asText(notification['title']),
    body: asText(notification['body']) ?? text,
    data: {
      notification,
      ttl: Number(ttl),
      topic: topic ?? null,
      urgency: urgency ?? null,
      sender,
    },
    raw: `${req.method} ${req.originalUrl} HTTP/${req.httpVersion}\r\n${head.join('\r\n')}\r\n\r\n${text}`,
  };
}

function parseNotification(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {}; // Not JSON: shown as text.
  }
}

const asText = (value: unknown): string | null => (typeof value === 'string' ? value : null);
