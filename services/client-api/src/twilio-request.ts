import type { ChannelSettings } from '@tidings/accounts/channel-settings';
import { AppError } from '@tidings/platform';
import express, { type Request, type RequestHandler } from 'express';
import twilio from 'twilio';

const FORM_BYTES_MAX = 64 * 1024;

/** Reads the form that Twilio posts. */
export const readForm: RequestHandler = express.urlencoded({
  extended: false,
  limit: FORM_BYTES_MAX,
});

/** The parameters of a form; one that stands twice is not one of Twilio's. */
export function formOf(req: Request): Readonly<Record<string, string>> {
  const body = (req.body ?? {}) as Readonly<Record<string, unknown>>;
  const fields = Object.entries(body);
  if (fields.some(([, value]) => typeof value !== 'string')) throw wrongSignature();
  return Object.fromEntries(fields) as Record<string, string>;
}

/**
 * Whether Twilio signed this request for an account with this token. What it signs is the address that it called, to
 * the letter: behind proxies that is the public one, whatever host, port and scheme came in here.
 */
export function isSignedFor(
  settings: ChannelSettings,
  req: Request,
  publicBaseUrl: string,
): boolean {
  const token = settings.secrets?.['authToken'];
  const signature = req.headers['x-twilio-signature'];
  if (token === undefined || typeof signature !== 'string') return false;
  return twilio.validateRequest(
    token,
    signature,
    `${publicBaseUrl}${req.originalUrl}`,
    formOf(req),
  );
}

/** One answer for every reason, so that nobody learns which ids and accounts there are. */
export function wrongSignature(): AppError {
  return new AppError('forbidden', 'The signature of this request is not valid.');
}
