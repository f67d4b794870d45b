import type { OutgoingDelivery } from '@tidings/channel-worker';
import { UNSUBSCRIBE_PLACEHOLDER } from '@tidings/contracts/push/links';
import { domainToASCII } from 'node:url';
import type { createDkimKeys, SigningAlgorithm } from './dkim-keys.ts';
import { outgoingMail } from './smtp.ts';

/** One kind of mail, and what a reader must see of it. */
export type MailKind = {
  /** A short name, also that of its file. */
  readonly name: string;
  readonly address: string;
  readonly title: string;
  readonly body: string;
  /** What the HTML part shows, if it is not the body; links of ours stand as `[click URL]`. */
  readonly html?: string;
  readonly composedBy: 'template' | 'nodemailer';
  readonly signedBy: readonly SigningAlgorithm[];
  readonly delivery: Partial<OutgoingDelivery>;
};

const BOTH = ['rsa-sha256', 'ed25519-sha256'] as const;
const LARGE_BYTES = 1_000_000;

/** The domain that is not ASCII leaves the mail to nodemailer. */
const ADDRESSES = { template: 'ada@example.org', nodemailer: 'ada@größe.example' } as const;

type Message = Omit<MailKind, 'address' | 'composedBy'>;

function message(
  name: string,
  { title = 'Your order', ...rest }: Partial<Message> & Pick<Message, 'body'>,
): Message {
  return { name, title, signedBy: BOTH, delivery: {}, ...rest };
}

const links = Array.from(
  { length: 120 },
  (_, at) => `https://shop.example/products/${at}?colour=red&size=${at % 7}`,
);
const linked = (write: (url: string) => string) =>
  `<ul>\n${links.map((url, at) => `<li><a href="${write(url)}">product ${at}</a></li>`).join('\n')}\n</ul>`;

/** Words of several scripts, without a line longer than some hundred characters. */
function largeText(): string {
  const words = ['order', 'Größe', 'please', 'naïve', 'a=b', '漢字', 'From', '.', 'parcel'];
  let text = '';
  for (let at = 0; Buffer.byteLength(text) < LARGE_BYTES; at += 1)
    text += `${Array.from({ length: 200 }, (_, word) => words[(at * 7 + word * word) % words.length]).join(' ')}\n`;
  return text;
}

const MESSAGES: readonly Message[] = [
  message('plain-text', { body: 'Hello Ada,\n\nyour order 4711 is on its way.\n' }),
  message('html-without-text', { body: '<p><img src="https://shop.example/sale.png"></p>' }),
  message('html-and-text', {
    body: '<h1>Hello</h1>\n<p>Your order <b>4711</b> is &lt;on its way&gt;.</p>',
  }),
  message('long-lines-of-text', { body: `${'word '.repeat(600)}\n${'x'.repeat(3_000)}\nend` }),
  message('long-lines-of-html', {
    body: `<p title="${'y'.repeat(5_000)}">${'Hello '.repeat(500)}</p>`,
  }),
  message('emoji', { title: '🎉 Sale 👩‍👩‍👧‍👦 50 % 🇪🇺', body: 'Hello 👋🏽\n🎉🎉🎉\nbye 🫶' }),
  message('right-to-left', {
    title: 'مرحبا بك — שלום',
    body: '<p dir="rtl">مرحبا بالعالم، طلبك 4711 في الطريق.</p><p dir="rtl">שלום עולם \u200f(4711)\u200f</p>',
  }),
  message('right-to-left-text', {
    title: 'שלום',
    body: 'مرحبا بالعالم\nשלום \u202b4711\u202c עולם\n',
  }),
  message('chinese-japanese-korean', {
    title: '您的订单已发货 — ご注文 — 주문',
    body: `您的订单4711已发货。\n${'漢字仮名交じり文。'.repeat(80)}\n주문이 발송되었습니다.`,
  }),
  message('leading-dots', { body: '.\n..\n.hidden\n\n.\n...and more\n.' }),
  message('bare-line-ends', { body: 'one\rtwo\nthree\r\nfour\r\rfive\n\nsix\r' }),
  message('lines-with-from', {
    body: 'From the shop\nFrom From us\n From afar\n>From quoted\nDear Ada\nFrom',
  }),
  message('html-lines-with-from', { body: '<p>Hello</p>\nFrom <b>us</b>\nFrom here' }),
  message('many-tracked-links', {
    body: linked((url) => url.replaceAll('&', '&amp;')),
    html: `${linked((url) => `[click ${url}]`)}[pixel]`,
    delivery: { isTracked: true },
  }),
  message('tracking-pixel', {
    body: '<html><body><p>Hello</p></body></html>',
    html: '<html><body><p>Hello</p>[pixel]</body></html>',
    delivery: { isTracked: true },
  }),
  message('list-unsubscribe', {
    body: `<p>News</p><a href="${UNSUBSCRIBE_PLACEHOLDER}">No more</a>`,
    html: '<p>News</p><a href="[unsubscribe ADDRESS]">No more</a>',
    delivery: {
      purpose: 'marketing',
      settings: { unsubscribeMailbox: 'leave@example.com', bounceDomain: 'bounce.example.com' },
    },
  }),
  message('signed-by-rsa', { body: 'One signature', signedBy: ['rsa-sha256'] }),
  message('signed-by-ed25519', { body: 'One signature', signedBy: ['ed25519-sha256'] }),
  message('signed-by-both', { body: '<p>Two  signatures</p>\t<p> </p>' }),
  message('display-name', {
    body: 'Hello',
    delivery: { settings: { fromName: 'Größe & “Söhne”, GmbH <🎁>' } },
  }),
  message('quoted-display-name', {
    body: 'Hello',
    delivery: { settings: { fromName: 'Shop, "The Best" \\ (of all)' } },
  }),
  message('long-subject', { title: `Sale ${'of summer clothes '.repeat(55)}end`, body: 'Hello' }),
  message('long-subject-without-spaces', { title: 'x'.repeat(900), body: 'Hello' }),
  message('subject-of-one-long-word', { title: `Key ${'0123456789'.repeat(200)}`, body: 'Hello' }),
  message('long-encoded-subject', {
    title: `Größe 🎉 ${'漢字 und mehr '.repeat(60)}`,
    body: 'Hello',
  }),
  message('empty-text', { body: '' }),
  message('white-space-at-ends', {
    body: '  indented\ntrailing  \ntab\t\n \n\t\n  two  inside  \n\n\n\n',
  }),
  message('html-with-white-space-at-ends', { body: '<p>Hello</p> \t\n \n<p> </p>  \n\n\n' }),
  message('quoted-printable-traps', {
    body: `=\n==\na=\n=20\n=3D=0A\n${'z'.repeat(75)}=\n${'z'.repeat(74)}=\n${'z'.repeat(73)}=\n${'z'.repeat(74)}é\n${'z'.repeat(75)}.\n${'z'.repeat(76)}\ttab\n\tbegins\nends \n=?utf-8?q?no?=\n--boundary--`,
  }),
  message('large-text', { body: largeText() }),
  message('large-html', {
    body: `<table>\n${'<tr><td class="cell">Größe</td><td>4711 = 4711</td></tr>\n'.repeat(17_000)}</table>`,
  }),
];

/** Each message composed in both ways. A test sends and reads them, and `npm run mails` verifies them in Python. */
export const MAIL_KINDS: readonly MailKind[] = MESSAGES.flatMap((one) =>
  (['template', 'nodemailer'] as const).map((composedBy) => {
    const address = ADDRESSES[composedBy];
    return {
      ...one,
      name: `${one.name}-by-${composedBy}`,
      address,
      composedBy,
      ...(one.html !== undefined && { html: one.html.replaceAll('ADDRESS', address) }),
    };
  }),
);

/** A delivery of this kind, through the server at `port`. */
export function outgoingKind(
  { address, title, body, signedBy, delivery }: MailKind,
  port: number,
  { settingsOf }: Pick<ReturnType<typeof createDkimKeys>, 'settingsOf'>,
): OutgoingDelivery {
  const { settings, secrets } = settingsOf(signedBy);
  return outgoingMail(port, {
    address,
    message: { title, body },
    secrets,
    // The keys are read once for each version of the settings.
    settingsKey: signedBy.join(' '),
    ...delivery,
    settings: { ...settings, ...delivery.settings },
  });
}

/** An address as its mail names it: its domain is written in ASCII (RFC 5891). */
export function readAddress(address: string): string {
  const [local = '', domain = ''] = address.split('@');
  return `${local}@${domainToASCII(domain)}`;
}
