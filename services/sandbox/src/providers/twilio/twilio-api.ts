import { mountRoute } from '@tidings/http/app';
import type { Clock } from '@tidings/platform';
import { smsSegments } from '@tidings/contracts/channels/sms-segments';
import express, { type Express, type Request, type Response } from 'express';
import { randomBytes } from 'node:crypto';
import type { StoredMessage } from '../../messages/message.ts';
import { resetIfFaulted, sendAnswer } from '../http-faults.ts';
import type { ProviderContext } from '../provider.ts';
import { readCallbackIds } from '../callback-ids.ts';
import type { SmsSenders } from '../sms-senders.ts';
import type { StatusCallbacks } from '../status-callbacks.ts';
import { repliesTo, statusReports } from './callbacks.ts';
import {
  NO_SUCH_RESOURCE,
  OPTED_OUT,
  checkSend,
  UNAUTHENTICATED,
  type TwilioRejection,
} from './rejections.ts';
import { SERVICE_NUMBER, toResource, type TwilioMessage } from './resource.ts';

export type TwilioContext = ProviderContext & {
  readonly clock: Clock;
  readonly senders: SmsSenders;
  readonly callbacks: StatusCallbacks;
};

const BODY_BYTES_MAX = 64 * 1024;
const MESSAGES_LISTED_MAX = 1_000;
/** Codes from here on are carrier errors: Twilio has accepted the message by then. */
const CARRIER_CODES_FROM = 30_000;
const DEFAULT_REJECTION = 21211;
const CODES_BY_STATUS: Readonly<Record<number, number>> = {
  401: 20003,
  403: 20003,
  404: 20404,
  429: 20429,
  500: 20500,
  503: 20503,
};

/**
 * The message endpoints of Twilio's REST API, for any account and token. Faults: `reset` before the
 * request is read; `reject` fails the number by a Twilio code, or by a carrier code (30000 and up)
 * after acceptance; `status` rejects the request; `delay` and `drop_reply` apply after it was
 * stored.
 */
export function mountTwilioApi(app: Express, ctx: TwilioContext): void {
  const path = '/2010-04-01/Accounts/:accountSid/Messages';
  const form = express.urlencoded({ extended: false, limit: BODY_BYTES_MAX });
  mountRoute(app, `${path}.json`, {
    POST: [resetIfFaulted('SMS', ctx.faults), form, (req, res) => createMessage(req, res, ctx)],
    GET: [(req, res) => listMessages(req, res, ctx)],
  });
  mountRoute(app, `${path}/:sid.json`, { GET: [(req, res) => fetchMessage(req, res, ctx)] });
}

type Form = Readonly<Record<string, string | undefined>>;

async function createMessage(req: Request, res: Response, ctx: TwilioContext): Promise<void> {
  const { store, faults, senders, callbacks } = ctx;
  const fields = (req.body ?? {}) as Form;
  const authToken = readToken(req);
  const sender = fields['MessagingServiceSid'] ?? fields['From'] ?? '';
  const rejected = faults.strike('SMS', 'reject');
  const rejection = rejected && { ...rejected, code: Number(rejected.code ?? DEFAULT_REJECTION) };
  const isCarriers = rejection !== undefined && rejection.code >= CARRIER_CODES_FROM;
  const refusal =
    authToken === undefined
      ? UNAUTHENTICATED
      : (checkSend(fields) ??
        (senders.isOptedOut(sender, fields['To'] ?? '') ? OPTED_OUT : undefined) ??
        (rejection && !isCarriers
          ? byFault({ ...rejection, status: rejection.status ?? 400 })
          : undefined) ??
        byStatusFault(ctx));
  const message = toMessage(String(req.params['accountSid']), fields, {
    createdAt: ctx.clock.now(),
    failsWith: isCarriers ? rejection.code : null,
  });
  if (refusal === undefined && authToken !== undefined) {
    senders.note(sender, repliesTo(message, authToken));
    await store.keep([
      {
        ...readCallbackIds(message.statusCallback),
        channel: 'SMS',
        to: message.to,
        title: null,
        body: message.body,
        data: message,
        raw: new URLSearchParams(fields as Record<string, string>).toString(),
      },
    ]);
    callbacks.follow(statusReports(message, authToken));
  }
  const answer = (): void => {
    if (refusal === undefined) res.status(201).json(toResource(message, message.createdAt));
    else refuse(res, refusal);
  };
  await sendAnswer('SMS', faults, {
    req,
    res,
    outcome: {
      ...(refusal === undefined
        ? {}
        : { refusal: { status: refusal.status, ...retryOf(refusal) } }),
      answer,
    },
  });
}

const retryOf = ({ retryAfterSeconds }: TwilioRejection) =>
  retryAfterSeconds === undefined ? {} : { retryAfterSeconds };

function byStatusFault({ faults }: TwilioContext): TwilioRejection | undefined {
  const fault = faults.strike('SMS', 'status');
  return (
    fault &&
    byFault({ ...fault, code: Number(fault.code ?? CODES_BY_STATUS[fault.status] ?? 20001) })
  );
}

function byFault({
  status,
  code,
  retryAfterSeconds,
}: {
  readonly status: number;
  readonly code: number;
  readonly retryAfterSeconds?: number;
}): TwilioRejection {
  return {
    status,
    code,
    message: 'Rejected by a fault of the sandbox',
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  };
}

function toMessage(
  accountSid: string,
  fields: Form,
  { createdAt, failsWith }: Pick<TwilioMessage, 'createdAt' | 'failsWith'>,
): TwilioMessage {
  const body = fields['Body'] ?? '';
  return {
    sid: `SM${randomBytes(16).toString('hex')}`,
    accountSid,
    from: fields['From'] ?? SERVICE_NUMBER,
    messagingServiceSid: fields['MessagingServiceSid'] ?? null,
    to: fields['To'] ?? '',
    body,
    statusCallback: fields['StatusCallback'] ?? null,
    ...smsSegments(body),
    validityPeriod: fields['ValidityPeriod'] ?? null,
    failsWith,
    createdAt,
  };
}

async function listMessages(req: Request, res: Response, ctx: TwilioContext): Promise<void> {
  if (readToken(req) === undefined) return refuse(res, UNAUTHENTICATED);
  const { accountSid } = req.params;
  const { To: to, 'DateSent>': since } = req.query as Record<string, string | undefined>;
  const sinceMs = since === undefined ? 0 : Date.parse(since);
  const kept = await keptMessages(ctx, to);
  const found = kept.filter(
    (message) => message.accountSid === accountSid && message.createdAt >= sinceMs,
  );
  res.json({
    messages: found.map((message) => toResource(message, ctx.clock.now())),
    page: 0,
    page_size: MESSAGES_LISTED_MAX,
    start: 0,
    end: found.length,
    next_page_uri: null,
    uri: req.originalUrl,
  });
}

async function fetchMessage(req: Request, res: Response, ctx: TwilioContext): Promise<void> {
  if (readToken(req) === undefined) return refuse(res, UNAUTHENTICATED);
  const { accountSid, sid } = req.params;
  const message = (await keptMessages(ctx)).find(
    (one) => one.sid === sid && one.accountSid === accountSid,
  );
  if (message === undefined) return refuse(res, NO_SUCH_RESOURCE);
  res.json(toResource(message, ctx.clock.now()));
}

async function keptMessages({ store }: TwilioContext, to?: string): Promise<TwilioMessage[]> {
  const { messages } = await store.list(
    { channel: 'SMS', ...(to === undefined ? {} : { to }) },
    MESSAGES_LISTED_MAX,
  );
  return messages.map(
    (line) => (JSON.parse(line.toString('utf8')) as StoredMessage).data as TwilioMessage,
  );
}

function refuse(res: Response, { status, code, message }: TwilioRejection): void {
  res
    .status(status)
    .json({ code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status });
}

/** Password of Basic authentication, if the user equals the account in the path. */
function readToken(req: Request): string | undefined {
  const [scheme, encoded = ''] = (req.headers.authorization ?? '').split(' ');
  const [user, ...token] = Buffer.from(encoded, 'base64').toString('utf8').split(':');
  return scheme === 'Basic' && user === req.params['accountSid'] && token.join(':') !== ''
    ? token.join(':')
    : undefined;
}
