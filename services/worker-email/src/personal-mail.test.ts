import { describe, expect, test } from '@jest/globals';
import type { OutgoingDelivery } from '@tidings/channel-worker';
import { LINK_PURPOSES } from '@tidings/contracts/push/links';
import { createIdSigner, parseLink, readEncryptionKeys } from '@tidings/platform';
import { compileMailBody, isHtmlMail, joinMailBody } from '@tidings/liquid/compile-mail-body';
import { userScope } from '@tidings/liquid/user-scope';
import { propertyRuns } from '@tidings/testing';
import fc from 'fast-check';
import assert from 'node:assert/strict';
import PostalMime from 'postal-mime';
import { parseTemplate } from './mail-content.ts';
import { createMailLinker, type MailLinks } from './mail-links.ts';
import { composeByNodemailer, fillTemplate, type ComposedMail } from './providers/smtp/compose.ts';
import { createDkimKeys } from './testing/dkim-keys.ts';
import { outgoingMail, TEST_CONFIG } from './testing/smtp.ts';

const { keys: KEYS, verdictsOf } = createDkimKeys({ rsaBits: 1_024 });
const linksOf = createMailLinker(TEST_CONFIG);

/** A mail to a user whose city is this. */
function personalMail(
  body: string,
  city: string,
  { subject, ...overrides }: Partial<OutgoingDelivery> & { readonly subject?: string } = {},
) {
  const scope = userScope(
    { customUserId: 'ada', registeredAt: 0, fields: { city }, customAttributes: {} },
    'c1',
  );
  const rendered = compileMailBody(body)?.render(scope);
  assert(rendered !== undefined);
  const { message, html, text } = rendered;
  const delivery = outgoingMail(25, overrides);
  return {
    personal: { ...delivery, message, personal: { subject: subject ?? null, html, text } },
    /** The same mail as if its author had written it so. */
    plain: { ...delivery, message: { title: subject ?? null, body: joinMailBody(rendered) } },
  };
}

function messageOf({ content }: ComposedMail): Buffer {
  const wire = Buffer.concat(content).toString('latin1');
  return Buffer.from(wire.replaceAll(/(^|\r\n)\./g, '$1'), 'latin1');
}

async function readingOf(mail: ComposedMail) {
  const { from, to, cc, bcc, subject, html, text, headers } = await PostalMime.parse(
    messageOf(mail),
  );
  const says = (part = '') => part.split(/\s+/).join(' ').trim();
  return {
    from,
    to,
    cc,
    bcc,
    subject,
    html: says(html),
    text: says(text),
    names: headers
      .map(({ key }) => key)
      .filter((key) => key !== 'dkim-signature')
      .toSorted(),
    envelope: mail.envelope,
  };
}

/** Links of one delivery are made once: each encryption of an id is another text. */
const links = new Map<string, MailLinks>();
function linksFor(delivery: OutgoingDelivery): MailLinks {
  const key = `${delivery.deliveryId} ${delivery.isTracked}`;
  const made = links.get(key) ?? linksOf(delivery);
  links.set(key, made);
  return made;
}

const filled = async (delivery: OutgoingDelivery) =>
  readingOf(await fillTemplate(delivery, linksFor(delivery), KEYS));
const careful = async (delivery: OutgoingDelivery) =>
  readingOf(await composeByNodemailer(delivery, linksFor(delivery), KEYS));

const BODY = `<html><body><h1>Hello {{ user.city }}</h1><p title="{{ user.city }}">In {{ user.city }}, soon.</p>
<a href="https://shop.example/{{ user.city }}?x=1&amp;y={{ user.city }}">Shop</a> <a href="https://shop.example/same">Same</a>
<a href="{{unsubscribeUrl}}">Leave</a></body></html>`;

describe('a personalised mail reads as the same mail written by hand', () => {
  test.each([
    ['words', 'Ulm'],
    ['other letters', 'Würzburg – 東京 🎉'],
    ['HTML', '<b>"Ulm" & \'Bonn\'</b>'],
    ['lines', 'a\r\n.b\nFrom c\n\n d  e '],
    ['a long word', 'x'.repeat(300)],
    ['equals signs', '=3D =20 ='],
  ])('with %s', async (_what, city) => {
    for (const isTracked of [false, true]) {
      const { personal, plain } = personalMail(BODY, city, {
        subject: `Hi ${city.replaceAll(/\s+/g, ' ').trim()}`,
        isTracked,
        purpose: 'marketing',
      });

      const read = await filled(personal);

      // The text of a plain mail in capitals, too: of headings.
      expect(read).toEqual(await careful(personal));
      const { text: _text, ...others } = await filled(plain);
      expect(read).toMatchObject(others);
      expect(read.text).toContain(city.split(/\s+/)[0]?.toUpperCase());
    }
  });

  test('except that a value is no placeholder', async () => {
    const { personal } = personalMail(BODY, '{{unsubscribeUrl}}', { purpose: 'marketing' });

    const read = await filled(personal);

    expect(read).toEqual(await careful(personal));
    expect(read.html).toContain('In {{unsubscribeUrl}}, soon.');
    expect(read.text).toContain('In {{unsubscribeUrl}}, soon.');
  });

  test.each([
    ['in text', '<p>{{ unsubscribeUrl }}</p>'],
    ['with a query', '<p><a href="{{ unsubscribeUrl }}&city={{ user.city }}">x</a>'],
    ['behind a scheme', '<p><a href="https://{{ unsubscribeUrl }}?l=de">x</a>'],
    ['in a form', '<form action="{{ unsubscribeUrl }}"><button>Stop</button></form>'],
    ['in Outlook', '<p><!--[if mso]><v:rect href="{{ unsubscribeUrl }}"><![endif]-->'],
  ])('with the unsubscribe URL %s', async (_what, html) => {
    const { personal, plain } = personalMail(`${html} {{ user.city }}`, 'a & "b"');

    const read = await filled(personal);

    expect(read).toEqual(await careful(personal));
    expect(read).toEqual(await filled(plain));
    expect(read.html).toMatch(/https:\/\/tidings\.example\/u\/[\w.-]+(["<]|\?(l=de"|city=a%20))/);
    expect(`${read.html} ${read.text}`).not.toMatch(/[{}]|https:\/\/https/);
  });

  test('as text alone', async () => {
    const { personal, plain } = personalMail('Hello {{ user.city }}!\n{{unsubscribeUrl}}', 'a<b');

    expect(await filled(personal)).toEqual(await filled(plain));
    expect((await filled(personal)).text).toMatch(/^Hello a<b! https:\/\/tidings\.example\/u\//);
  });

  test('with a body that is the same for all, and a subject of its own', async () => {
    const delivery = {
      ...outgoingMail(25, { message: { body: '<p>Same</p>' } }),
      personal: { subject: 'Hi Ada', html: [], text: [] },
    };

    expect(await filled(delivery)).toMatchObject({ subject: 'Hi Ada', html: '<p>Same</p>' });
  });

  test('without a title the subject is the application’s', async () => {
    const { personal } = personalMail(BODY, 'Ulm', { defaultSubject: 'News' });

    expect((await filled(personal)).subject).toBe('News');
  });
});

describe('links of a personalised mail', () => {
  const clicks = createIdSigner(readEncryptionKeys(TEST_CONFIG), LINK_PURPOSES.click);

  test('are tracked with the values of the user', async () => {
    const { personal } = personalMail(BODY, 'Ulm', { isTracked: true });

    const { html } = await filled(personal);

    const tokens = [...html.matchAll(/\/t\/c\/([\w.-]+)"/g)].map(([, token = '']) => token);
    expect(tokens.map((token) => parseLink(clicks.open(token) ?? [])?.url)).toEqual([
      'https://shop.example/Ulm?x=1&y=Ulm',
      'https://shop.example/same',
    ]);
  });

  test('are not tracked where they are too long', async () => {
    const { personal } = personalMail(BODY, 'x'.repeat(1_600), { isTracked: true });

    expect((await filled(personal)).html).toContain(
      `href="https://shop.example/${'x'.repeat(1_600)}`,
    );
  });
});

test.each(['x', 'x\n', 'x\n\n', ' \r\n \r\n', 'x '])(
  'a text that ends in %j is signed as it is sent',
  async (city) => {
    const { personal } = personalMail('Hello\n\n{{ user.city }}', city);

    const composed = await fillTemplate(personal, linksOf(personal), KEYS);

    expect((await verdictsOf(messageOf(composed))).toSorted()).toEqual([
      'ed25519-sha256 pass',
      'rsa-sha256 pass',
    ]);
  },
);

test.each([
  ['<p>{{ user.city }}', true],
  ['{{ user.city }}', false],
  ['<{{ user.city }}>', false],
  ['{% capture x %}<b>{{ user.city }}</b>{% endcapture %}{{ x }}', false],
])('%s is sent as its preview says: HTML is %s', (body, isHtml) => {
  const { message } = personalMail(body, '<i>Ulm</i>').personal;

  expect(parseTemplate(message).html !== null).toBe(isHtml);
  expect(isHtmlMail({ message })).toBe(isHtml);
});

test('mails of the same structure are composed from one template', async () => {
  const body = compileMailBody(BODY);
  const mailOf = (city: string) => {
    const scope = userScope(
      { customUserId: 'ada', registeredAt: 0, fields: { city }, customAttributes: {} },
      'c1',
    );
    const rendered = body?.render(scope);
    assert(rendered !== undefined);
    return {
      ...outgoingMail(25),
      campaignId: 'one',
      message: rendered.message,
      personal: { subject: city, ...rendered },
    };
  };
  const contents = await Promise.all(
    ['Ulm', 'Bonn'].map(async (city) => {
      const delivery = mailOf(city);
      return (await fillTemplate(delivery, linksOf(delivery), [])).content;
    }),
  );

  const [first, second] = contents;
  // The first piece of a body, in both the very same buffer.
  expect(first?.[1]).toBe(second?.[1]);
});

const VALUE = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '\r\nBcc: evil@example.org\r\n',
        '\r\n\r\n',
        '\r\n.\r\n',
        '=?utf-8?Q?=0D=0ABcc:_x?=',
        '<script>',
        '">',
        ', evil@example.org',
        '--',
        '=\r\n',
        'From ',
        '.',
        '  ',
      ),
      fc.string({ maxLength: 40, unit: 'grapheme' }),
    ),
    { minLength: 1, maxLength: 5 },
  )
  .map((parts) => parts.join('').replaceAll('\0', ''))
  .filter((text) => text.trim() !== '');

test('a value adds no header and no recipient, and signatures stay valid', async () => {
  const expected = await filled(personalMail(BODY, 'Ulm', { subject: 'Ulm' }).personal);
  await fc.assert(
    fc.asyncProperty(VALUE, async (value) => {
      const { personal } = personalMail(BODY, value, { subject: value });
      const composed = await fillTemplate(personal, linksOf(personal), KEYS);
      const read = await readingOf(composed);

      assert.deepEqual(read.names, expected.names);
      assert.deepEqual([read.to, read.cc, read.bcc], [expected.to, expected.cc, expected.bcc]);
      assert.deepEqual(read.envelope, { ...expected.envelope, to: personal.address });
      assert.ok(!(read.subject ?? '').includes('\n'));
      assert.deepEqual((await verdictsOf(messageOf(composed))).toSorted(), [
        'ed25519-sha256 pass',
        'rsa-sha256 pass',
      ]);
      for (const line of messageOf(composed).toString('latin1').split('\r\n'))
        assert.ok(line.length <= 998);
    }),
    propertyRuns(200),
  );
});
