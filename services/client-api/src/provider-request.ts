import type { ChannelSettings } from '@tidings/accounts/channel-settings';
import { AppError } from '@tidings/platform';
import type { SmsCallbackProvider } from '@tidings/providers/sms/callback-provider';
import express, { type Request, type RequestHandler } from 'express';

const FORM_BYTES_MAX = 64 * 1024;

/** Parses the form body of a provider callback. */
export const readForm: RequestHandler = express.urlencoded({
  extended: false,
  limit: FORM_BYTES_MAX,
});

/**
 * The form parameters. @throws AppError `forbidden` for a repeated parameter, which no provider
 * sends
 */
export function readFields(req: Request): Readonly<Record<string, string>> {
  const body = (req.body ?? {}) as Readonly<Record<string, unknown>>;
  const fields = Object.entries(body);
  if (fields.some(([, value]) => typeof value !== 'string')) throw wrongSignature();
  return Object.fromEntries(fields) as Record<string, string>;
}

type Signing = { readonly provider: SmsCallbackProvider; readonly publicBaseUrl: string };

/**
 * Whether the provider signed this request for the account in these settings. The signature covers
 * the public URL, so the host, port and scheme of this request do not matter.
 */
export function isSignedFor(
  { secrets }: ChannelSettings,
  req: Request,
  { provider, publicBaseUrl }: Signing,
): boolean {
  return provider.isSigned(
    { url: `${publicBaseUrl}${req.originalUrl}`, headers: req.headers, form: readFields(req) },
    secrets,
  );
}

/** One error for every reason, so that callers cannot probe for ids and accounts. */
export function wrongSignature(): AppError {
  return new AppError('forbidden', 'The request signature is invalid.');
}
