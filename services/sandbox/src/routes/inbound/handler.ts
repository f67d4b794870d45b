import { isE164 } from '@tidings/contracts/channels/addresses';
import { mountRoute } from '@tidings/http/app';
import { AppError } from '@tidings/platform';
import { createValidator } from '@tidings/validation';
import express, { type Express, type RequestHandler } from 'express';
import { Type } from 'typebox';
import type { SmsSenders } from '../../providers/sms-senders.ts';

const BODY_BYTES_MAX = 16 * 1024;
const ANSWER_TIMEOUT_MS = 10_000;
const STOP_WORDS = new Set(['STOP', 'STOPALL', 'UNSUBSCRIBE', 'CANCEL', 'END', 'QUIT']);
const START_WORDS = new Set(['START', 'YES', 'UNSTOP']);

type Inbound = { readonly from: string; readonly to?: string; readonly body: string };

const parseInbound = createValidator<Inbound>(
  Type.Object({
    from: Type.String({ minLength: 1, maxLength: 32 }),
    /** A number or messaging service that has sent since the start; default: the last one. */
    to: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
    body: Type.String({ maxLength: 1_600 }),
  }),
);

/**
 * `POST /api/inbound`: a phone replies. The message is posted to the application, signed as by the
 * provider that the sender was used at.
 */
export function mountInbound(app: Express, senders: SmsSenders): void {
  const receive: RequestHandler = async (req, res) => {
    if (req.is('application/json') === false)
      throw new AppError('unsupported_media_type', 'Send application/json.');
    const inbound = parseInbound(req.body);
    if (!inbound.ok)
      throw new AppError('validation_failed', 'The message is not valid.', {
        errors: inbound.errors,
      });
    const { from, to, body } = inbound.value;
    if (!isE164(from))
      throw new AppError('validation_failed', 'The message is not valid.', {
        errors: [{ pointer: '/from', code: 'invalid_value', expected: 'a number in E.164' }],
      });
    const found = senders.of(to);
    if (found?.postReply == null)
      throw new AppError(
        'conflict',
        'This number has sent nothing since the start of the sandbox, so it has no callback URL for replies.',
      );
    const { sender, postReply } = found;
    const word = body.trim().toUpperCase();
    if (STOP_WORDS.has(word)) senders.optOut(sender, from);
    if (START_WORDS.has(word)) senders.optIn(sender, from);
    const { url, answer } = await postReply({ from, body }, AbortSignal.timeout(ANSWER_TIMEOUT_MS));
    res.json({ url, status: answer.status, body: await answer.text() });
  };
  mountRoute(app, '/api/inbound', {
    POST: [express.json({ limit: BODY_BYTES_MAX, strict: false }), receive],
  });
}
