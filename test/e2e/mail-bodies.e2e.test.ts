import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Problem } from '@tidings/contracts/errors/error-codes';
import { eventually } from '@tidings/testing';
import { shareTidings } from '../stack/share-tidings.ts';
import { createClient, type Client } from './support/client.ts';

type SandboxMail = {
  readonly to: string;
  readonly title: string | null;
  readonly body: string;
  readonly data: { readonly text: string | null; readonly html?: string | null };
};

const WAIT = { timeoutMs: 30_000 };
const PEOPLE = { ada: 'ada@bodies.example', dots: 'this.@bodies.example' };
const URL_OF_OURS = /https?:\/\/[^\s"<>\]]+\/u\/[\w.-]+/;

let client: Client;

beforeAll(async () => {
  const { local } = await shareTidings('Mail bodies');
  client = createClient(local);
  for (const [customUserId, email] of Object.entries(PEOPLE))
    await client.submit({
      customUserId,
      messages: [{ type: 'user', id: customUserId, time: Date.now(), email, city: '<Ulm> & "x"' }],
    });
  await eventually(
    () => Promise.all(Object.keys(PEOPLE).map((id) => client.read(`users/${id}`))),
    WAIT,
  );
}, 240_000);

async function mailOf(push: object, customUserId: keyof typeof PEOPLE = 'ada') {
  const { status, body } = await client.push({
    recipients: [customUserId],
    channel: 'EMAIL',
    ...push,
  });
  expect(status).toBe(200);
  const mail = await eventually(async () => {
    const { body: answer } = await client.sandbox<{ messages: SandboxMail[] }>(
      'GET',
      `/api/messages?campaignId=${body.campaignId}`,
    );
    const [first] = answer.messages;
    if (first === undefined) throw new Error('no mail yet');
    return first;
  }, WAIT);
  return { warnings: body.warnings, mail };
}

describe.each([false, true])('the unsubscribe URL, personalised: %s', (personalize) => {
  test.each([
    ['in text', '<p>Stop: {{ unsubscribeUrl }}</p>', '<p>Stop: URL</p>'],
    ['with a query', '<a href="{{ unsubscribeUrl }}?l=de">stop</a>', '<a href="URL?l=de">stop</a>'],
    ['with a parameter', '<a href="{{ unsubscribeUrl }}&l=de">x</a>', '<a href="URL?l=de">x</a>'],
    ['behind a scheme', '<a href="https://{{ unsubscribeUrl }}">x</a>', '<a href="URL">x</a>'],
    [
      'of a form',
      '<form action="{{ unsubscribeUrl }}"><button>stop</button></form>',
      '<form action="URL"><button>stop</button></form>',
    ],
    [
      'of a button of Outlook',
      '<p><!--[if mso]><v:roundrect href="{{ unsubscribeUrl }}"><![endif]--></p>',
      '<p><!--[if mso]><v:roundrect href="URL"><![endif]--></p>',
    ],
    ['in a text', 'Stop: {{ unsubscribeUrl }}', 'Stop: URL'],
  ])('%s', async (_what, body, expected) => {
    const { warnings, mail } = await mailOf({ personalize, message: { title: 'x', body } });
    const [url = ''] = URL_OF_OURS.exec(mail.body) ?? [];

    expect(warnings).toEqual([]);
    expect(
      mail.body
        .replace(URL_OF_OURS, 'URL')
        .replace(/<img [^>]*>/, '')
        .trim(),
    ).toBe(expected);
    expect(mail.data.text ?? '').not.toContain('{{');
    expect((await fetch(url)).status).toBe(200);
  });

  test.each([
    [{ title: '{{unsubscribeUrl}}', body: 'x' }, '/message/title'],
    [{ body: '<a href="{{unsubscribeUrl}}/de">x</a>' }, '/message/body'],
  ])('is refused in %j', async (message, pointer) => {
    const { status, body } = await client.push({
      recipients: ['ada'],
      channel: 'EMAIL',
      personalize,
      message,
    });

    expect(status).toBe(400);
    expect((body as unknown as Problem).errors).toMatchObject([{ pointer }]);
  });
});

test('a value in a comment for Outlook is filled in, escaped as HTML', async () => {
  const { mail } = await mailOf({
    personalize: true,
    message: { title: 'x', body: '<p>x<!--[if mso]><td>{{ user.city }}</td><![endif]--></p>' },
  });

  expect(mail.body).toContain('<!--[if mso]><td>&lt;Ulm&gt; &amp; &quot;x&quot;</td><![endif]-->');
});

test.each([
  ['names in angle brackets', { body: 'Dear <name>, use List<Foo> as in <order id>' }],
  ['what its format calls text', { body: '<b>Dear</b> name', format: 'text' }],
])('a text keeps %s', async (_what, message) => {
  const { mail } = await mailOf({ message: { title: 'c', ...message } });

  expect(mail.data.text?.trimEnd()).toBe(message.body);
  expect(mail.body.trimEnd()).toBe(message.body);
});

test.each([false, true])(
  'a subject like an encoded word arrives as written, personalised: %s',
  async (personalize) => {
    const title = '=?utf-8?Q?hi?=';

    expect((await mailOf({ personalize, message: { title, body: 'x' } })).mail.title).toBe(title);
  },
);

test('the text part keeps the cells of a table apart, and what follows the end', async () => {
  const row = (...cells: readonly string[]) =>
    `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
  const body = `<html><body><table>${row('Price', '40')}${row('Total', '80')}</table></body></html><p>footer</p>`;

  const { mail } = await mailOf({ message: { title: 'c', body } });

  expect(mail.data.text?.trim()).toBe('Price 40\nTotal 80\n\nfooter');
});

test('an address whose local part needs quotes gets its mail', async () => {
  const { mail } = await mailOf({ message: { title: 'c', body: 'x' } }, 'dots');

  expect(mail.to).toBe('"this."@bodies.example');
});
