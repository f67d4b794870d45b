import { mountRoute } from '@tidings/http/app';
import type { Clock } from '@tidings/platform';
import express, { type Express, type Request, type Response } from 'express';
import { randomBytes } from 'node:crypto';
import type { UnregisteredDevices } from '../../devices/unregistered-devices.ts';
import type { ReceivedMessage } from '../../messages/message.ts';
import { resetIfFaulted, sendAnswer } from '../http-faults.ts';
import type { ProviderContext } from '../provider.ts';
import { readFcmMessage, type FcmMessage } from './check-message.ts';
import {
  renderBody,
  OTHER_PROJECT,
  rejectionForFault,
  UNAUTHENTICATED,
  UNREGISTERED,
  type FcmRejection,
} from './rejections.ts';
import { PROJECT_ID, TOKEN_PATH, type FcmProject } from './service-account.ts';

export type FcmContext = ProviderContext & {
  readonly clock: Clock;
  readonly project: FcmProject;
  readonly gone: UnregisteredDevices;
  /** Called with each stored message. */ readonly onPush: (message: ReceivedMessage) => void;
};

const BODY_BYTES_MAX = 64 * 1024;

/**
 * The FCM v1 API with its phones, and its OAuth token endpoint. Any token is a phone until it is
 * unregistered. Faults: `reset` before the request is read; `reject` (UNREGISTERED, or the given
 * FCM code) and `status` reject it; `delay` and `drop_reply` apply after it was stored.
 */
export function mountFcmApi(app: Express, ctx: FcmContext): void {
  mountRoute(app, TOKEN_PATH, {
    POST: [
      express.urlencoded({ extended: false, limit: BODY_BYTES_MAX }),
      (req, res) => exchangeAssertion(req, res, ctx),
    ],
  });
  mountRoute(app, '/v1/projects/:projectId/messages\\:send', {
    POST: [
      resetIfFaulted('APP_PUSH', ctx.faults),
      express.json({ limit: BODY_BYTES_MAX, strict: false }),
      (req, res) => sendMessage(req, res, ctx),
    ],
  });
}

function exchangeAssertion(req: Request, res: Response, { project, clock }: FcmContext): void {
  const { grant_type: grantType, assertion } = (req.body ?? {}) as Readonly<
    Record<string, string | undefined>
  >;
  const result =
    grantType === 'urn:ietf:params:oauth:grant-type:jwt-bearer'
      ? project.exchange(assertion ?? '', {
          tokenUri: `${req.protocol}://${req.headers.host}${TOKEN_PATH}`,
          nowMs: clock.now(),
        })
      : { error: 'unsupported_grant_type' };
  if ('error' in result)
    res.status(400).json({ ...result, error_description: 'Rejected by the sandbox' });
  else
    res.json({
      access_token: result.accessToken,
      expires_in: result.expiresInSeconds,
      token_type: 'Bearer',
    });
}

async function sendMessage(req: Request, res: Response, ctx: FcmContext): Promise<void> {
  const taken = checkSend(req, ctx);
  const refusal = 'status' in taken ? taken : undefined;
  if (!('status' in taken)) {
    const message = toMessage(req, taken);
    await ctx.store.keep([message]);
    ctx.onPush(message);
  }
  await sendAnswer('APP_PUSH', ctx.faults, {
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
          res.json({
            name: `projects/${PROJECT_ID}/messages/0:${ctx.clock.now()}%${randomBytes(8).toString('hex')}`,
          });
        else res.status(refusal.status).json(renderBody(refusal));
      },
    },
  });
}

function checkSend(
  req: Request,
  { project, clock, gone, faults }: FcmContext,
): FcmMessage | FcmRejection {
  const [scheme, token = ''] = (req.headers.authorization ?? '').split(' ');
  if (scheme !== 'Bearer' || !project.isAccepted(token, clock.now())) return UNAUTHENTICATED;
  if (req.params['projectId'] !== PROJECT_ID) return OTHER_PROJECT;
  const message = readFcmMessage(req.body);
  if ('status' in message) return message;
  if (gone.has(message.token)) return UNREGISTERED;
  const fault = faults.strike('APP_PUSH', 'reject') ?? faults.strike('APP_PUSH', 'status');
  return fault === undefined ? message : rejectionForFault(fault);
}

function toMessage(req: Request, message: FcmMessage) {
  const { token, notification, data } = message;
  return {
    channel: 'APP_PUSH' as const,
    to: token,
    campaignId: asText(data['campaignId']),
    deliveryId: asText(data['deliveryId']),
    title: asText(notification['title']),
    body: asText(notification['body']) ?? '',
    data: message,
    // The viewer must not see the access token.
    raw: `${req.method} ${req.originalUrl} HTTP/${req.httpVersion}\r\ncontent-type: ${req.headers['content-type']}\r\n\r\n${JSON.stringify(req.body, null, 2)}`,
  };
}

const asText = (value: unknown): string | null => (typeof value === 'string' ? value : null);
