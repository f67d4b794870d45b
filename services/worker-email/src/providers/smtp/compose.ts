import { itemAt } from '@tidings/platform';
import type { OutgoingDelivery } from '@tidings/channel-worker';
import { createTransport } from 'nodemailer';
import { parseTemplate } from '../../mail-content.ts';
import type { MailLinks } from '../../mail-links.ts';
import { buildMail, buildReturnAddress, type Mail } from '../../mail.ts';
import { canFill, fillBody, buildOwnHeaders, subjectHeader } from './mail-template.ts';
import { canonicalHeaders, relaxedBody, signMail, type DkimKey } from './dkim.ts';
import type { Envelope } from './session.ts';
import { SmtpSettingsError } from './settings.ts';
import { templateFor } from './template-cache.ts';
import { toWireForm } from './wire-form.ts';

/** An e-mail and its envelope, as written to the server. */
export type ComposedMail = { readonly envelope: Envelope; readonly content: readonly Buffer[] };

/**
 * Composes and signs one e-mail: from the campaign's template if its own parts are printable ASCII,
 * otherwise by nodemailer, which handles every address. Both read the same.
 */
export async function composeMail(
  delivery: OutgoingDelivery,
  links: MailLinks,
  keys: readonly DkimKey[],
): Promise<ComposedMail> {
  checkUnsubscribe(delivery, links);
  return canFill(delivery, links)
    ? fillTemplate(delivery, links, keys)
    : composeByNodemailer(delivery, links, keys);
}

/** @throws SmtpSettingsError for a body with the recipient's unsubscribe URL where there is none */
function checkUnsubscribe({ message }: OutgoingDelivery, links: MailLinks): void {
  if (!links.hasBase && parseTemplate(message).hasUnsubscribe)
    throw new SmtpSettingsError(
      'no_public_url',
      'The body has {{unsubscribeUrl}}, and PUBLIC_BASE_URL is not set.',
    );
}

/** Composes a mail from the template of its campaign. */
export async function fillTemplate(
  delivery: OutgoingDelivery,
  links: MailLinks,
  keys: readonly DkimKey[],
): Promise<ComposedMail> {
  const template = templateFor(delivery, links);
  const headers = buildOwnHeaders(delivery, { links, date: dateHeader() });
  const body = fillBody(template, links, delivery.personal);
  const signatures =
    keys.length === 0
      ? ''
      : await signMail(
          { headers: [canonicalHeaders(headers), template.canonicalHeaders], body },
          keys,
        );
  return {
    envelope: { from: buildReturnAddress(delivery, links), to: delivery.address },
    content: [Buffer.from(signatures + headers + template.headers, 'latin1'), ...body],
  };
}

let lastDate = { second: 0, text: '' };

/** The current date in RFC 5322, 3.3 form; formatted once a second. */
function dateHeader(): string {
  const second = Math.floor(Date.now() / 1_000);
  if (second !== lastDate.second)
    lastDate = { second, text: new Date(second * 1_000).toUTCString().replace('GMT', '+0000') };
  return lastDate.text;
}

const composer = createTransport({
  streamTransport: true,
  buffer: true,
  newline: 'windows',
  disableFileAccess: true,
  disableUrlAccess: true,
});

/** Composes an e-mail without the template. */
export async function composeByNodemailer(
  delivery: OutgoingDelivery,
  links: MailLinks,
  keys: readonly DkimKey[],
): Promise<ComposedMail> {
  const mail = withSafeSubject(buildMail(delivery, links));
  const mayHoldMboxLine = [mail.text, mail.html].some((part) => part?.includes('From '));
  const { envelope, message } = await composer.sendMail(
    mayHoldMboxLine ? { ...mail, encoding: 'quoted-printable' } : mail,
  );
  if (!Buffer.isBuffer(message)) throw new TypeError('nodemailer composed no buffer');
  const safe = mayHoldMboxLine ? withoutMboxLines(message) : message;
  return {
    envelope: { from: envelope.from || '', to: itemAt(envelope.to, 0) },
    content: [
      Buffer.from(await signMail(splitSignedParts(safe), keys), 'latin1'),
      toWireForm(safe),
    ],
  };
}

function withSafeSubject(mail: Mail) {
  const header = subjectHeader(mail.subject);
  return typeof header === 'string'
    ? mail
    : { ...mail, subject: undefined, headers: { ...mail.headers, Subject: header } };
}

/** Encodes the F of each line that begins with `From `, in a mail whose parts are quoted-printable. */
function withoutMboxLines(message: Buffer): Buffer {
  const text = message.toString('latin1');
  const end = text.indexOf('\r\n\r\n') + 4;
  // A soft break keeps the line as short as it was.
  const body = text
    .slice(end)
    .replaceAll(/^(?:From )+/gm, (start) => start.replaceAll('From ', '=46rom =\r\n'));
  return Buffer.from(text.slice(0, end) + body, 'latin1');
}

function splitSignedParts(message: Buffer) {
  const text = message.toString('latin1').replaceAll(/\r\n|\r|\n/g, '\r\n');
  const end = text.indexOf('\r\n\r\n');
  const headers = Buffer.from(text.slice(0, end), 'latin1').toString('utf8');
  return {
    headers: [canonicalHeaders(headers)],
    body: [Buffer.from(relaxedBody(text.slice(end + 4)), 'latin1')],
  };
}
