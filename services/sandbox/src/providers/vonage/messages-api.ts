import { smsSegments } from '@tidings/contracts/channels/sms-segments';
import { type Clock, type Ids } from '@tidings/platform';
import { mountRoute } from '@tidings/http/app';
import express, { type Express, type Request, type Response } from 'express';
import { readCallbackIds } from '../callback-ids.ts';
import { resetIfFaulted, sendAnswer } from '../http-faults.ts';
import type { ProviderContext } from '../provider.ts';
import type { SmsSenders } from '../sms-senders.ts';
import type { StatusCallbacks } from '../status-callbacks.ts';
import type { VonageApplication } from './application.ts';
import { repliesTo, statusReports } from './callbacks.ts';
import { withPlus, type VonageMessage } from './message.ts';
import {
  checkSend,
  NO_JSON,
  OPTED_OUT_CODE,
  UNAUTHENTICATED,
  type VonageRejection,
} from './rejections.ts';

export type VonageContext = ProviderContext & {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly application: VonageApplication;
  readonly senders: SmsSenders;
  readonly callbacks: StatusCallbacks;
};

const BODY_BYTES_MAX = 64 * 1024;
const DEFAULT_REJECTION = '1170';
const CODES_BY_STATUS: Readonly<Record<number, string>> = {
  401: 'unauthorized',
  402: 'low-balance',
  403: 'forbidden',
  429: '1000',
  500: '1030',
};

/**
 * `POST /v1/messages` of Vonage's Messages API, for the application of `GET /vonage/application`.
 * Faults: `reset` before the request is read; `reject` fails the number by a code after acceptance,
 * in a status webhook; `status` rejects the request; `delay` and `drop_reply` apply after it was
 * stored.
 */
export function mountVonageApi(app: Express, ctx: VonageContext): void {
  mountRoute(app, '/v1/messages', {
    POST: [
      resetIfFaulted('SMS', ctx.faults),
      express.json({ limit: BODY_BYTES_MAX, strict: false }),
      (req, res) => createMessage(req, res, ctx),
    ],
  });
}

/** `GET /vonage/application`: what an operator copies from Vonage into the settings of SMS. */
export function mountVonageApplication(app: Express, application: VonageApplication): void {
  mountRoute(app, '/vonage/application', {
    GET: [(_req, res) => void res.json(application.credentials())],
  });
}

type Fields = Readonly<Record<string, unknown>>;

async function createMessage(req: Request, res: Response, ctx: VonageContext): Promise<void> {
  const fields = (typeof req.body === 'object' ? req.body : undefined) as Fields | undefined;
  const rejection = findRejection(req, fields, ctx);
  const message = rejection === undefined ? toMessage(fields ?? {}, ctx) : rejection;
  if ('messageId' in message) await accept(message, fields ?? {}, ctx);
  await sendAnswer('SMS', ctx.faults, {
    req,
    res,
    outcome: {
      ...(rejection !== undefined && { refusal: rejection }),
      answer: () =>
        'messageId' in message
          ? void res.status(202).json({ message_uuid: message.messageId })
          : reject(res, message, ctx),
    },
  });
}

function findRejection(
  req: Request,
  fields: Fields | undefined,
  { application, faults, clock }: VonageContext,
): VonageRejection | undefined {
  if (!application.isSignedIn(req.headers.authorization, clock.now())) return UNAUTHENTICATED;
  if (fields === undefined) return NO_JSON;
  const wrong = checkSend(fields);
  if (wrong !== undefined) return wrong;
  const fault = faults.strike('SMS', 'status');
  return (
    fault && {
      status: fault.status,
      code: fault.code ?? CODES_BY_STATUS[fault.status] ?? '1020',
      title: 'Rejected',
      detail: 'Rejected by a fault of the sandbox',
      ...(fault.retryAfterSeconds !== undefined && { retryAfterSeconds: fault.retryAfterSeconds }),
    }
  );
}

async function accept(message: VonageMessage, fields: Fields, ctx: VonageContext): Promise<void> {
  ctx.senders.note(message.from, repliesTo(message, ctx));
  await ctx.store.keep([
    {
      ...readCallbackIds(message.webhookUrl),
      channel: 'SMS',
      to: message.to,
      title: null,
      body: String(fields['text']),
      data: message,
      raw: JSON.stringify(fields),
    },
  ]);
  ctx.callbacks.follow(statusReports(message, ctx));
}

function toMessage(
  { from, to, text, client_ref: reference, webhook_url: url, ttl }: Fields,
  { ids, senders, faults }: VonageContext,
): VonageMessage {
  const [sender, phone] = [withPlus(String(from)), withPlus(String(to))];
  const fault = faults.strike('SMS', 'reject');
  const optedOut = senders.isOptedOut(sender, phone) ? OPTED_OUT_CODE : null;
  return {
    messageId: ids.uuid(),
    from: sender,
    to: phone,
    clientRef: typeof reference === 'string' ? reference : null,
    webhookUrl: typeof url === 'string' ? url : null,
    ...smsSegments(String(text)),
    ttl: typeof ttl === 'number' ? ttl : null,
    failsWith: fault === undefined ? optedOut : (fault.code ?? DEFAULT_REJECTION),
  };
}

function reject(
  res: Response,
  { status, code, title, detail, parameters }: VonageRejection,
  { ids }: VonageContext,
): void {
  const path = /^\d+$/.test(code) ? 'api-errors/messages' : 'api-errors';
  res.status(status).json({
    type: `https://developer.vonage.com/${path}#${code}`,
    title,
    detail,
    instance: ids.uuid(),
    ...(parameters !== undefined && {
      invalid_parameters: parameters.map((name) => ({ name, reason: detail })),
    }),
  });
}
