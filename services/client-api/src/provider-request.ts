import type { ChannelSettings } from '@tidings/accounts/channel-settings';
import { AppError } from '@tidings/platform';
import type { SmsCallbackProvider } from '@tidings/providers/sms/callback-provider';
import express, { type Request, type RequestHandler } from 'express';

const FORM_BYTES_MAX = 64 * 1024;

/** Reads the form that a provider posts. */
export const readForm: RequestHandler = express.urlencoded({
  extended: false,
  limit: FORM_BYTES_MAX,
});

/** The parameters of a form; no provider sends one twice. */
export function formOf(req: Request): Readonly<Record<string, string>> {
  const body = (req.body ?? {}) as Readonly<Record<string, unknown>>;
  const fields = Object.entries(body);
  if (fields.some(([, value]) => typeof value !== 'string')) throw wrongSignature();
  return Object.fromEntries(fields) as Record<string, string>;
}

type Signing = { readonly provider: SmsCallbackProvider; readonly publicBaseUrl: string };

/**
 * Whether the provider signed this request for the account in these settings. The address is the public one, to the
 * letter, whatever host, port and scheme came in here.
 */
export function isSignedFor(
  { secrets }: ChannelSettings,
  req: Request,
  { provider, publicBaseUrl }: Signing,
): boolean {
  return provider.isSigned(
    { url: `${publicBaseUrl}${req.originalUrl}`, headers: req.headers, form: formOf(req) },
    secrets,
  );
}

/** One answer for every reason, so that nobody learns which ids and accounts there are. */
export function wrongSignature(): AppError {
  return new AppError('forbidden', 'The signature of this request is not valid.');
}
