import { CHANNEL_DESCRIPTORS } from '@tidings/contracts/channels/descriptors';
import { providerNameOf } from '@tidings/contracts/channels/provider';
import { AppError } from '@tidings/platform';
import type {
  ReadCallback,
  SmsAccount,
  SmsCallbackProvider,
} from '@tidings/providers/sms/callback-provider';
import type { ClientApiDependencies } from './dependencies.ts';
import express, { type Request, type RequestHandler } from 'express';

const BODY_BYTES_MAX = 64 * 1024;

/** Reads the body of a provider callback as it was sent: some providers sign it. */
export const readCallbackBody: RequestHandler = express.raw({
  type: () => true,
  limit: BODY_BYTES_MAX,
});

/**
 * The callback as its provider reads it. Its signature covers the public URL, so the host, port and
 * scheme of this request do not matter.
 * @throws AppError `forbidden` for a request that the provider does not send
 */
export function readCallback(
  req: Request,
  provider: SmsCallbackProvider,
  { publicBaseUrl, clock }: Pick<ClientApiDependencies, 'publicBaseUrl' | 'clock'>,
): ReadCallback {
  const body: unknown = req.body;
  const callback = provider.read({
    url: `${publicBaseUrl}${req.originalUrl}`,
    headers: req.headers,
    body: Buffer.isBuffer(body) ? body : Buffer.alloc(0),
    receivedAt: clock.now(),
  });
  if (callback === null) throw wrongSignature();
  return callback;
}

/** Whether an application sends by this provider now. */
export function isOfProvider({ settings }: SmsAccount, name: string): boolean {
  return providerNameOf(CHANNEL_DESCRIPTORS.SMS.providers, settings) === name;
}

/** One error for every reason, so that callers cannot probe for ids and accounts. */
export function wrongSignature(): AppError {
  return new AppError('forbidden', 'The request signature is invalid.');
}
