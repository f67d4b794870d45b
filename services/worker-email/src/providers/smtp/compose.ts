import { createTransport } from 'nodemailer';
import type { Mail } from '../../mail.ts';
import { dkimOf } from './dkim.ts';
import type { Envelope } from './session.ts';
import type { SmtpSettings } from './settings.ts';
import { wireFormOf } from './wire-form.ts';

/** A mail with its envelope, as it is written to the server. */
export type ComposedMail = { readonly envelope: Envelope; readonly content: readonly Buffer[] };

const composer = createTransport({
  streamTransport: true,
  buffer: true,
  newline: 'windows',
  disableFileAccess: true,
  disableUrlAccess: true,
});

/** Composes and signs one mail by nodemailer: correct for every address and every text. */
export async function composeMail(
  mail: Mail,
  settings: SmtpSettings,
  secrets: Readonly<Record<string, string>>,
): Promise<ComposedMail> {
  const dkim = dkimOf(settings, secrets);
  const { envelope, message } = await composer.sendMail({ ...mail, ...(dkim && { dkim }) });
  if (!Buffer.isBuffer(message)) throw new TypeError('nodemailer composed no buffer');
  return {
    envelope: { from: envelope.from || '', to: envelope.to[0] ?? '' },
    content: [wireFormOf(message)],
  };
}
