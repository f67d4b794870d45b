import { describe, expect, test } from '@jest/globals';
import type { OutgoingDelivery } from '@tidings/channel-worker';
import { UNSUBSCRIBE_PLACEHOLDER } from '@tidings/contracts/push/links';
import { isHtmlMessage } from '@tidings/mail-body/is-html';
import { propertyRuns } from '@tidings/testing';
import fc from 'fast-check';
import PostalMime from 'postal-mime';
import { createMailLinker } from '../../mail-links.ts';
import { createDkimKeys } from '../../testing/dkim-keys.ts';
import { outgoingMail, TEST_CONFIG } from '../../testing/smtp.ts';
import { composeByNodemailer, composeMail, fillTemplate, type ComposedMail } from './compose.ts';
import { relaxedBody, type DkimKey } from './dkim.ts';

// Short, because some thousand mails are signed.
const { keys: KEYS, verdictsOf } = createDkimKeys({ rsaBits: 1_024 });
const BOTH_PASS = ['rsa-sha256 pass', 'ed25519-sha256 pass'];

function linksOf(delivery: OutgoingDelivery, publicBaseUrl: string) {
  return createMailLinker({ ...TEST_CONFIG, publicBaseUrl })(delivery);
}

/** The mail that a server takes from what was written to it. */
function messageOf({ content }: ComposedMail): Buffer {
  const wire = Buffer.concat(content).toString('latin1');
  return Buffer.from(wire.replaceAll(/(^|\r\n)\./g, '$1'), 'latin1');
}

/** What a reader sees of a mail, and what programs read. */
async function readingOf(mail: ComposedMail) {
  const { from, to, subject, messageId, html, text, headers } = await PostalMime.parse(
    messageOf(mail),
  );
  const others = headers
    .filter(({ key }) => /^(x-tidings|list-|feedback-id|auto-submitted)/.test(key))
    .map(({ key, value }) => `${key}: ${value.replaceAll(/\s+/g, ' ')}`)
    .toSorted();
  // nodemailer writes some texts as `format=flowed`, which does not keep white space at line ends.
  const says = (part = '') => part.split(/\s+/).join(' ').trim();
  return {
    from,
    to,
    subject,
    messageId,
    html: says(html),
    text: says(text),
    others,
    envelope: mail.envelope,
  };
}

/** Both ways of composing the same mail. */
async function bothWays(
  delivery: OutgoingDelivery,
  publicBaseUrl: string,
  keys: readonly DkimKey[],
) {
  const links = linksOf(delivery, publicBaseUrl);
  return {
    filled: await fillTemplate(delivery, links, keys),
    careful: await composeByNodemailer(delivery, links, keys),
  };
}

/** Enough for a million cases. */
const PROPERTY_TIMEOUT_MS = 86_400_000;

const texts = fc.string({ unit: 'grapheme', maxLength: 400 });
const words = fc.constantFrom(
  UNSUBSCRIBE_PLACEHOLDER,
  '.',
  '\n.\n',
  '\r\n',
  '\n\n\n',
  '\r',
  '  ',
  '\t \t',
  '=',
  'From the shop',
  '漢字仮名交じり文'.repeat(10),
  'مرحبا',
  '🎉👩‍👩‍👧',
  'x'.repeat(200),
  '--boundary--',
  'Größe',
);
const markup = fc.constantFrom(
  '<p>Hello</p>',
  '<a href="https://shop.example/?a=1&amp;b=2">shop</a>',
  `<a href="${UNSUBSCRIBE_PLACEHOLDER}">out</a>`,
  '<a href="mailto:a@b.example">mail</a>',
  '<br>',
  '</body></html>',
  '<img src="https://x.example/a.png">',
);
const bodies = fc
  .array(fc.oneof(texts, words, markup), { minLength: 0, maxLength: 12 })
  .map((pieces) => pieces.join(''));

const deliveries = fc
  .record({
    title: fc.oneof(texts, words, fc.constant('')),
    body: bodies,
    fromName: fc.oneof(fc.constant(''), fc.string({ unit: 'grapheme', maxLength: 60 })),
    isMarketing: fc.boolean(),
    isTracked: fc.boolean(),
    bounceDomain: fc.constantFrom(undefined, 'bounce.example.com'),
    unsubscribeMailbox: fc.constantFrom(undefined, 'leave+list@example.com'),
    address: fc.constantFrom('ada@example.org', 'Ada.Lovelace+news@example.org', 'a@b.co'),
  })
  .map(({ title, body, isMarketing, isTracked, address, ...settings }) =>
    outgoingMail(25, {
      message: { title, body },
      purpose: isMarketing ? 'marketing' : 'transactional',
      isTracked,
      address,
      settings,
    }),
  );
/** Mails with the public URL of their installation. Without one, a mail that shows a link to leave waits. */
const mails = fc
  .tuple(deliveries, fc.constantFrom('https://tidings.example', 'https://a.example/b', ''))
  .filter(
    ([{ message }, base]) =>
      base !== '' || !String(message['body']).includes(UNSUBSCRIBE_PLACEHOLDER),
  );

test(
  'a mail from its campaign’s template says what nodemailer’s says, to another parser',
  async () => {
    await fc.assert(
      fc.asyncProperty(mails, async ([delivery, base]) => {
        const { filled, careful } = await bothWays(delivery, base, []);

        expect(await readingOf(filled)).toEqual(await readingOf(careful));
      }),
      propertyRuns(300),
    );
  },
  PROPERTY_TIMEOUT_MS,
);

test(
  'a text arrives as it was written, save that its lines end in CRLF',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(texts, words), async (body) => {
        const delivery = outgoingMail(25, { message: { title: 'Hi', body } });
        const links = linksOf(delivery, 'https://tidings.example');
        const mail = await fillTemplate(delivery, links, []);
        const parsed = await PostalMime.parse(messageOf(mail));
        const lines = (text: string) => text.replaceAll(/\r\n|\r|\n/g, '\n').replace(/\n$/, '');

        fc.pre(!isHtmlMessage({ body }));
        expect(lines(parsed.text ?? '')).toBe(
          lines(body.replaceAll(UNSUBSCRIBE_PLACEHOLDER, links.unsubscribe ?? '')),
        );
      }),
      propertyRuns(300),
    );
  },
  PROPERTY_TIMEOUT_MS,
);

test(
  'its bytes stay as they are on every way: short lines, no leading dots, a fixed point of canonicalisation',
  async () => {
    await fc.assert(
      fc.asyncProperty(mails, async ([delivery, base]) => {
        const mail = await fillTemplate(delivery, linksOf(delivery, base), KEYS);
        const source = Buffer.concat(mail.content).toString('latin1');
        const body = source.slice(source.indexOf('\r\n\r\n') + 4);

        expect(source).toMatch(/^[\t\r\n\u0020-\u007e]*$/);
        expect(source.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
        expect(source).not.toMatch(/(^|\n)\./);
        expect(source).not.toMatch(/^From /m);
        expect(source.endsWith('\r\n')).toBe(true);
        expect(relaxedBody(body)).toBe(body);
        expect(Math.max(...body.split('\r\n').map(({ length }) => length))).toBeLessThanOrEqual(76);
        expect(Math.max(...source.split('\r\n').map(({ length }) => length))).toBeLessThanOrEqual(
          998,
        );
      }),
      propertyRuns(300),
    );
  },
  PROPERTY_TIMEOUT_MS,
);

test(
  'both signatures of both ways are verified by another implementation',
  async () => {
    await fc.assert(
      fc.asyncProperty(mails, async ([delivery, base]) => {
        const { filled, careful } = await bothWays(delivery, base, KEYS);

        for (const mail of [filled, careful]) {
          expect(await verdictsOf(messageOf(mail))).toEqual(BOTH_PASS);
          // A server that marks such lines would break the signature.
          expect(messageOf(mail).toString('latin1')).not.toMatch(/^From /m);
        }
      }),
      propertyRuns(60),
    );
  },
  PROPERTY_TIMEOUT_MS,
);

test.each([
  ['a text', 'From the shop\nFrom From us\n From afar'],
  ['a long line', `${'x'.repeat(70)} ${'From here '.repeat(60)}`],
  ['HTML', '<p>Hello</p>\nFrom <b>us</b>'],
  ['other than ASCII', 'From Größe\nFrom 漢字'],
])(
  '%s with lines that begin with From keeps its signatures on servers that mark them',
  async (_what, body) => {
    const delivery = outgoingMail(25, { message: { title: 'Hi', body } });
    const { filled, careful } = await bothWays(delivery, '', KEYS);

    for (const mail of [filled, careful]) {
      const marked = messageOf(mail)
        .toString('latin1')
        .replaceAll(/^From /gm, '>From ');
      expect(await verdictsOf(Buffer.from(marked, 'latin1'))).toEqual(BOTH_PASS);
      const { text = '', html = '' } = await PostalMime.parse(messageOf(mail));
      const says = (part: string) => part.replaceAll(/\s+/g, ' ').trim();
      expect(says(isHtmlMessage({ body }) ? html : text)).toBe(says(body));
    }
  },
);

describe('a subject arrives as it is written', () => {
  const TEXTS = [
    '=?utf-8?Q?hi?=',
    'a =?utf-8?Q?hi?=',
    'a=?utf-8?B?aGk=?=b',
    'Grüße =?utf-8?Q?hi?= x',
    `=?utf-8?Q?hi?= ${'word '.repeat(40)}end`,
    'is 1 =? 2',
    'x'.repeat(1_200),
  ];

  test.each(TEXTS)('%j', async (text) => {
    const delivery = outgoingMail(25, { message: { title: text, body: 'x' } });
    const own = { ...delivery, personal: { subject: text, html: [], text: [] } };
    for (const mail of [
      await fillTemplate(delivery, linksOf(delivery, ''), []),
      await fillTemplate(own, linksOf(own, ''), []),
      await composeByNodemailer(delivery, linksOf(delivery, ''), []),
      await composeByNodemailer(own, linksOf(own, ''), []),
    ]) {
      const source = messageOf(mail).toString('latin1');
      const { subject } = await PostalMime.parse(source);

      expect(subject).toBe(text);
      expect(Math.max(...source.split('\r\n').map(({ length }) => length))).toBeLessThan(998);
    }
  });
});

test.each([
  ['.ada@example.org', '".ada"@example.org'],
  ['ada.@example.org', '"ada."@example.org'],
  ['ada..l@example.org', '"ada..l"@example.org'],
  ['"ada lovelace"@example.org', '"ada lovelace"@example.org'],
  ["o'neil+x@example.org", "o'neil+x@example.org"],
])('the local part of %s is quoted where RFC 5321 wants it', async (address, quoted) => {
  const delivery = outgoingMail(25, { address });

  const mail = await composeMail(delivery, linksOf(delivery, ''), []);

  expect(mail.envelope.to).toBe(quoted);
  expect(messageOf(mail).toString()).toMatch(
    quoted.startsWith('"') ? `\r\nTo: <${quoted}>\r\n` : `\r\nTo: ${quoted}\r\n`,
  );
});

describe('a template is composed once', () => {
  const html = () => ({ title: 'Hi', body: '<p>Hello</p>' });
  const base = outgoingMail(25, { message: html() });
  // The boundary of a template is random.
  const boundaryOf = async (delivery: OutgoingDelivery, publicBaseUrl = '') => {
    const mail = await fillTemplate(delivery, linksOf(delivery, publicBaseUrl), []);
    return /boundary="([^"]+)"/.exec(messageOf(mail).toString('latin1'))?.[1] ?? '';
  };

  test('for a campaign that is read again', async () => {
    expect(await boundaryOf({ ...base, message: html() })).toBe(await boundaryOf(base));
    expect(await boundaryOf(base)).toMatch(/^--_[0-9a-f]{32}$/);
  });

  test.each([
    ['content', { message: { ...html(), title: 'Ho' } }],
    ['campaign', { campaignId: outgoingMail(25).campaignId }],
    ['version of the settings', { settingsKey: 'application:2' }],
    ['purpose', { purpose: 'marketing' }],
    ['tracking', { isTracked: true }],
    ['default subject', { defaultSubject: 'News' }],
  ] as const)('and again for another %s', async (_what, change) => {
    expect(await boundaryOf({ ...base, ...change })).not.toBe(await boundaryOf(base));
  });
});

describe('the way is chosen by what is the recipient’s own', () => {
  test.each([
    ['ada@example.org', true],
    ['Ada.Lovelace+news@example.org', true],
    ['ada@Example.ORG', false],
    ['größe@example.org', false],
    ['ada@größe.example', false],
    ['"ada lovelace"@example.org', false],
    ['ada@[192.0.2.1]', false],
    ['.ada@example.org', false],
    ['ada..l@example.org', false],
    ['ada@example', false],
    ['ada@example.org, eve@example.org', false],
  ])('%s: from the template %s', async (address, isFilled) => {
    const delivery = outgoingMail(25, { address });
    const mail = await composeMail(delivery, linksOf(delivery, ''), []);

    // nodemailer writes a text of ASCII as it is.
    expect(Buffer.concat(mail.content).toString().includes('quoted-printable')).toBe(isFilled);
  });
});
