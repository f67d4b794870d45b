import { expect, test } from '@jest/globals';
import { messagesOfMail } from './mail.ts';

const mail = (...lines: string[]) => Buffer.from(lines.join('\r\n'));
const envelope = { recipients: ['ann@example.com'], login: null };

test('the body is the HTML where there is one, else the text', async () => {
  const plain = await messagesOfMail(mail('Subject: Hi', '', 'Only text'), envelope);
  const html = await messagesOfMail(mail('Content-Type: text/html', '', '<b>Hi</b>'), envelope);

  expect(plain[0]).toMatchObject({
    body: expect.stringContaining('Only text'),
    data: { html: null },
  });
  expect(html[0]).toMatchObject({ body: expect.stringContaining('<b>Hi</b>'), title: null });
});

test('a mail without a campaign has null for both ids', async () => {
  const [message] = await messagesOfMail(mail('Subject: Hi', '', 'Text'), envelope);

  expect(message).toMatchObject({ campaignId: null, deliveryId: null });
});

test('a repeated header keeps both values, and a header name cannot pollute prototypes', async () => {
  const [message] = await messagesOfMail(
    mail('Received: one', 'Received: two', '__proto__: x', '', 'Text'),
    envelope,
  );

  expect(message?.data['headers']).toEqual(
    Object.fromEntries([
      ['received', 'one\ntwo'],
      ['__proto__', 'x'],
    ]),
  );
});

test.each([
  { from: 'Ann <ann@example.com>', expected: 'Ann <ann@example.com>' },
  { from: 'ann@example.com', expected: 'ann@example.com' },
  { from: '=?UTF-8?Q?J=C3=B6rg?= <j@example.com>', expected: 'Jörg <j@example.com>' },
])('the sender $from is shown as $expected', async ({ from, expected }) => {
  const [message] = await messagesOfMail(mail(`From: ${from}`, '', 'Text'), envelope);

  expect(message?.data['from']).toBe(expected);
});
