import { isHtmlMessage } from '@tidings/mail-body/is-html';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { OutgoingDelivery } from '@tidings/channel-worker';
import { createTransport } from 'nodemailer';
import PostalMime from 'postal-mime';
import { createDkimKeys } from './testing/dkim-keys.ts';
import { MAIL_KINDS, outgoingKind, readAddress, type MailKind } from './testing/mail-kinds.ts';
import { readLinks } from './testing/read-links.ts';
import {
  composedMail,
  createTestChannel,
  startSmtpServer,
  type ReceivedMail,
} from './testing/smtp.ts';

const server = await startSmtpServer();
const channel = createTestChannel();
const dkim = createDkimKeys();
const received = new Map<
  string,
  { readonly delivery: OutgoingDelivery; readonly mail: ReceivedMail }
>();

beforeAll(async () => {
  for (const kind of MAIL_KINDS) {
    const delivery = outgoingKind(kind, server.port, dkim);
    const { status } = await channel.send(delivery);
    const mail = server.mails.pop();
    if (mail === undefined) throw new Error(`${kind.name} was not received: ${status}`);
    received.set(kind.name, { delivery, mail });
  }
}, 60_000);
afterAll(async () => {
  await channel[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

function receivedAs({ name }: MailKind) {
  const one = received.get(name);
  if (one === undefined) throw new Error(`nothing received of ${name}`);
  return one;
}

/** Each kind by its name. */
const kinds = MAIL_KINDS.map((kind) => [kind.name, kind] as const);
const lines = (text: string) => text.replaceAll(/\r\n|\r|\n/g, '\n');

/** Another library's reading. Our links stand as what they hold: each mail has its own. */
async function readingOf(source: Buffer) {
  const { subject, from, to, messageId, text, html } = await PostalMime.parse(source);
  return {
    subject,
    from,
    to,
    messageId,
    text: text === undefined ? undefined : lines(readLinks(text)),
    html: html === undefined ? undefined : lines(readLinks(html)),
  };
}

/** nodemailer's own mail of the same message. */
async function ownMail(delivery: OutgoingDelivery): Promise<Buffer> {
  const { message } = await createTransport({
    streamTransport: true,
    buffer: true,
    newline: 'windows',
  }).sendMail(composedMail(delivery));
  if (!Buffer.isBuffer(message)) throw new TypeError('no buffer');
  return message;
}

/** Header fields as they were written, by name. */
function fieldsOf(source: Buffer): Map<string, string> {
  const [head = ''] = source.toString('latin1').split('\r\n\r\n', 1);
  return new Map(
    head.split(/\r\n(?![ \t])/).map((field) => [field.slice(0, field.indexOf(':')), field]),
  );
}

describe('arrives as it was written, read by another library', () => {
  test.each(kinds)('%s', async (_name, kind) => {
    const { delivery, mail } = receivedAs(kind);
    const reading = await readingOf(mail.bytes);
    const isHtml = isHtmlMessage(kind);

    expect(reading).toMatchObject({
      subject: kind.title.trim(),
      from: { name: delivery.settings['fromName'] ?? '', address: 'shop@example.com' },
      to: [{ name: '', address: readAddress(delivery.address) }],
    });
    const [part, written] = isHtml
      ? [reading.html, kind.html ?? kind.body]
      : [reading.text, kind.body];
    const expected = lines(written);
    // The parser ends each part in a line end.
    expect(part === `${expected}\n` ? expected : (part ?? '')).toBe(expected);
    expect(reading.html !== undefined).toBe(isHtml);
  });
});

describe('says what nodemailer’s own mail of it says', () => {
  /** Some of nodemailer's parts end in a line end of their own. */
  const trimmed = ({ text, html, ...rest }: Awaited<ReturnType<typeof readingOf>>) => ({
    ...rest,
    text: text?.replace(/\n*$/, ''),
    html: html?.replace(/\n*$/, ''),
  });

  test.each(kinds)('%s', async (_name, kind) => {
    const { delivery, mail } = receivedAs(kind);
    const own = await ownMail(delivery);

    expect(trimmed(await readingOf(mail.bytes))).toEqual(trimmed(await readingOf(own)));
  });
});

describe('has the header fields that nodemailer writes, byte for byte', () => {
  /** Written by nodemailer too, or differing by the time, the boundary or the signed link. */
  const OTHERS = ['DKIM-Signature', 'Date', 'Content-Type', 'Content-Transfer-Encoding'];

  test.each(kinds)('%s', async (_name, kind) => {
    const { delivery, mail } = receivedAs(kind);
    const [fields, own] = [fieldsOf(mail.bytes), fieldsOf(await ownMail(delivery))];
    for (const name of OTHERS) for (const each of [fields, own]) each.delete(name);

    // nodemailer's line of a long word is longer than the 998 characters that it may have.
    if (/\S{998}/.test(kind.title)) for (const each of [fields, own]) each.delete('Subject');
    expect(fields.delete('List-Unsubscribe')).toBe(own.delete('List-Unsubscribe'));
    expect(Object.fromEntries(fields)).toEqual(Object.fromEntries(own));
  });
});

describe('is nodemailer’s mail byte for byte, if its address is not plain and its lines are safe', () => {
  const isUnsafe = ({ title, body }: MailKind) => body.includes('From ') || /\S{998}/.test(title);
  // Of marketing each mail has its own encrypted address.
  const own = kinds.filter(
    ([, kind]) =>
      kind.composedBy === 'nodemailer' && kind.delivery.purpose !== 'marketing' && !isUnsafe(kind),
  );

  test.each(own)('%s', async (_name, kind) => {
    const { delivery, mail } = receivedAs(kind);
    const comparable = (source: Buffer) =>
      source
        .toString('latin1')
        // A server may end the mail at a lone CR or LF.
        .replaceAll(/\r\n|\r|\n/g, '\r\n')
        .replace(/^(?:DKIM-Signature:.*\r\n(?:[ \t].*\r\n)*)+/, '')
        .replace(/^Date: .*$/m, 'Date: now')
        .replaceAll(/--_NmP-[\w-]+/g, 'boundary');

    expect(comparable(mail.bytes)).toBe(comparable(await ownMail(delivery)));
  });
});

describe('has signatures that another implementation verifies', () => {
  test.each(kinds)('%s', async (_name, kind) => {
    const { mail } = receivedAs(kind);

    expect(await dkim.verdictsOf(mail.bytes)).toEqual(
      kind.signedBy.map((algorithm) => `${algorithm} pass`),
    );
  });
});

describe('has lines that servers leave as they are', () => {
  test.each(kinds)('%s', (_name, kind) => {
    const source = receivedAs(kind).mail.bytes.toString('latin1');
    const body = source.slice(source.indexOf('\r\n\r\n') + 4);
    const lengths = (text: string) => text.split('\r\n').map(({ length }) => length);

    expect(source.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
    expect(source).not.toMatch(/^From /m);
    expect(Math.max(...lengths(body))).toBeLessThanOrEqual(76);
    expect(Math.max(...lengths(source))).toBeLessThanOrEqual(998);
    expect(source).toMatch(/^[\t\r\n\u0020-\u007e]*$/);
  });
});
