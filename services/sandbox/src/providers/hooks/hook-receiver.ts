import { mountRoute } from '@tidings/http/app';
import { parseExactJson, stringifyExactJson } from '@tidings/platform';
import express, { type Express, type Request } from 'express';
import { Webhook } from 'standardwebhooks';
import type { ReceivedMessage } from '../../messages/message.ts';
import { resetIfFaulted, sendAnswer, type Rejection } from '../http-faults.ts';
import type { ProviderContext } from '../provider.ts';

const BODY_BYTES_MAX = 1024 * 1024;
const REJECTED_STATUS = 400;

/**
 * A webhook receiver at `/hooks` and below. Accepts requests signed with its secret; answers others
 * 401 and does not store them. Faults: `reset` before the request is read; `reject` (400 or the
 * given status) and `status` reject it; `delay` and `drop_reply` apply after it was stored.
 */
export function mountHookReceiver(
  app: Express,
  ctx: ProviderContext & { readonly hookSecret: string },
): void {
  const { store, faults, hookSecret } = ctx;
  const receive = async (req: Request, res: express.Response): Promise<void> => {
    const body = Buffer.isBuffer(req.body) ? req.body.toString('utf8') : '';
    const isVerified = hookSecret !== '' && verifies(hookSecret, body, req);
    if (hookSecret !== '' && !isVerified) {
      res.status(401).json({ error: 'the signature is not valid' });
      return;
    }
    const refusal = findRejection(ctx);
    if (refusal === undefined) await store.keep([messageOfHook(req, body, isVerified)]);
    await sendAnswer('WEB_HOOK', faults, {
      req,
      res,
      outcome: {
        ...(refusal === undefined ? {} : { refusal }),
        answer: () => {
          if (refusal === undefined) res.status(204).end();
          else
            res
              .status(refusal.status)
              .json({ error: 'rejected by a fault of the sandbox', code: refusal.code });
        },
      },
    });
  };
  const chain = [
    resetIfFaulted('WEB_HOOK', faults),
    express.raw({ type: () => true, limit: BODY_BYTES_MAX }),
    receive,
  ];
  mountRoute(app, ['/hooks', '/hooks/{*rest}'], { POST: chain, PUT: chain, PATCH: chain });
}

function findRejection({ faults }: ProviderContext): Rejection | undefined {
  const rejected = faults.strike('WEB_HOOK', 'reject');
  return rejected === undefined
    ? faults.strike('WEB_HOOK', 'status')
    : { ...rejected, status: rejected.status ?? REJECTED_STATUS };
}

function verifies(secret: string, body: string, req: Request): boolean {
  try {
    new Webhook(secret).verify(body, req.headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
}

function messageOfHook(req: Request, text: string, isVerified: boolean): ReceivedMessage {
  const hook = parsed(text);
  const recipient = (hook['recipient'] ?? {}) as Readonly<Record<string, unknown>>;
  const head = Object.entries(req.headers).map(([name, value]) => `${name}: ${String(value)}`);
  return {
    channel: 'WEB_HOOK',
    to: asText(recipient['customUserId']) ?? req.path,
    campaignId: asText(hook['campaignId']),
    deliveryId: asText(hook['deliveryId']) ?? asText(req.headers['webhook-id']),
    title: asText(hook['title']),
    body:
      typeof hook['body'] === 'string' ? hook['body'] : stringifyExactJson(hook['body'] ?? null, 2),
    data: { method: req.method, url: req.originalUrl, isVerified, headers: req.headers, hook },
    raw: `${req.method} ${req.originalUrl} HTTP/${req.httpVersion}\r\n${head.join('\r\n')}\r\n\r\n${text}`,
  };
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const value = parseExactJson(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

const asText = (value: unknown): string | null => (typeof value === 'string' ? value : null);
