import { describe, expect, test } from '@jest/globals';
import PostalMime from 'postal-mime';
import { composedMail, createTestChannel, outgoingMail, startSmtpServer } from './testing/smtp.ts';

const mail = (message: Record<string, unknown>, rest = {}) =>
  composedMail(outgoingMail(25, { message, ...rest }));

describe('subject', () => {
  test.each([
    ['the title', { title: 'Sale', body: 'x' }, null, 'Sale'],
    ['the application’s, without a title', { body: 'x' }, 'From the shop', 'From the shop'],
    [
      'the application’s, with an empty title',
      { title: '', body: 'x' },
      'From the shop',
      'From the shop',
    ],
    ['a fallback, without either', { body: 'x' }, null, 'A message for you'],
    [
      'one line, for any title',
      { title: 'Sale\r\nBcc: evil@x.example\r\n\r\nboo', body: 'x' },
      null,
      'Sale Bcc: evil@x.example boo',
    ],
    ['without control characters', { title: 'a\u0000b\u001bc\td', body: 'x' }, null, 'a b c d'],
  ])('%s', (_name, message, defaultSubject, subject) => {
    expect(mail(message, { defaultSubject }).subject).toBe(subject);
  });
});

describe('body', () => {
  test.each([
    '<p>Hello</p>',
    '<!DOCTYPE html><html></html>',
    'Hello<br>you',
    'Hello <img src="https://x.example/a.png"/>',
  ])('HTML, with text beside it: %s', (body) => {
    expect(mail({ body })).toMatchObject({ html: body, text: expect.any(String) });
  });

  test.each([
    'Hello',
    '1 < 2 > 0',
    'a <b',
    '5 <6>',
    'mail <ada@example.org>',
    'Dear <name>, use List<Foo> as in <order id>',
    '<custom-element a="b">',
  ])('text: %s', (body) => {
    expect(mail({ body })).toMatchObject({ text: body });
    expect(mail({ body })).not.toHaveProperty('html');
  });
});

describe('the format decides', () => {
  const DEAR = 'Dear <b>name</b>';

  test.each([
    ['text', DEAR, undefined, DEAR],
    ['html', 'Dear you', 'Dear you', 'Dear you'],
    [null, DEAR, DEAR, 'Dear name'],
  ])('%s', (format, body, html, text) => {
    const { html: ofMail, text: textOfMail } = mail({ body, format });

    expect([ofMail, textOfMail]).toEqual([html, text]);
  });
});

test('the Message-ID is the delivery’s and stays the same; the sandbox and the report find the mail by its headers', () => {
  const delivery = outgoingMail(25);

  expect(composedMail(delivery)).toMatchObject({
    messageId: `<${delivery.deliveryId}@example.com>`,
    headers: {
      'X-Tidings-Campaign': delivery.campaignId,
      'X-Tidings-Delivery': delivery.deliveryId,
    },
    from: { name: '', address: 'shop@example.com' },
  });
  expect(composedMail(delivery).messageId).toBe(composedMail(delivery).messageId);
});

describe('nothing in an address, a title or a body adds a recipient or a header', () => {
  test.each([
    'ada@example.org, evil@x.example',
    'ada@example.org,evil@x.example',
    'ada@example.org;evil@x.example',
    'ada@example.org\r\nBcc: evil@x.example',
    'ada@example.org\nRCPT TO:<evil@x.example>',
    'ada@example.org>\r\nRCPT TO:<evil@x.example',
    'Ada <ada@example.org>, Evil <evil@x.example>',
    'group:ada@example.org,evil@x.example;',
    '"evil@x.example"@example.org',
    'ada@example.org evil@x.example',
    '<evil@x.example>ada@example.org',
  ])('%j', async (address) => {
    await using server = await startSmtpServer();
    await using channel = createTestChannel();

    await channel.send(outgoingMail(server.port, { address }));

    expect(server.mails.flatMap(({ to }) => to)).not.toContain('evil@x.example');
    expect(server.mails.every(({ to }) => to.length === 1)).toBe(true);
    expect(server.mails.map(({ source }) => source).join('')).not.toMatch(/^Bcc:/im);
  });

  test('a title with line breaks is one header', async () => {
    await using server = await startSmtpServer();
    await using channel = createTestChannel();

    await channel.send(
      outgoingMail(server.port, {
        message: { title: 'Hi\r\nX-Injected: yes\r\n\r\nbody', body: 'Text' },
      }),
    );

    expect(server.mails).toHaveLength(1);
    expect(server.mails[0]?.source).not.toMatch(/^X-Injected:/m);
    expect(server.mails[0]?.source).toMatch(/^Subject: Hi X-Injected: yes body\r$/m);
  });

  test('a body with a lone dot or SMTP commands stays a body', async () => {
    await using server = await startSmtpServer();
    await using channel = createTestChannel();

    const result = await channel.send(
      outgoingMail(server.port, {
        message: {
          body: 'one\r\n.\r\nMAIL FROM:<evil@x.example>\r\nRCPT TO:<evil@x.example>\r\nDATA\r\nboo\r\n.\r\n',
        },
      }),
    );

    expect(result.status).toBe('sent');
    expect(server.mails).toHaveLength(1);
    expect(server.mails[0]?.to).toEqual(['ada@example.org']);
  });

  test('a body that names a file is not the content of the file', async () => {
    await using server = await startSmtpServer();
    await using channel = createTestChannel();

    await channel.send(outgoingMail(server.port, { message: { body: { path: '/etc/hostname' } } }));

    expect(server.mails.map(({ source }) => source.split('\r\n\r\n')[1]?.trim())).toEqual([
      '[object Object]',
    ]);
  });
});

test('HTML goes out with the same in text: what it says, with the addresses it leads to', async () => {
  await using server = await startSmtpServer();
  await using channel = createTestChannel();
  const body =
    '<style>p { color: red }</style><h1>Größe &amp; Preis</h1><p>See <a href="https://shop.example/a">the shop</a>.</p><script>alert(1)</script>';

  await channel.send(outgoingMail(server.port, { message: { title: 'Hi', body } }));
  const received = await PostalMime.parse(server.mails[0]?.source ?? '');

  expect(received.html?.trim()).toBe(body);
  expect(received.text).toContain('GRÖSSE & PREIS');
  expect(received.text).toContain('See the shop [https://shop.example/a].');
  expect(received.text).not.toMatch(/color|alert/);
  expect(server.mails[0]?.source).toMatch(/^Content-Type: multipart\/alternative/m);
});

test('a body of 256 KiB that is nothing but nested tags is sent', async () => {
  await using server = await startSmtpServer();
  await using channel = createTestChannel();

  expect(
    await channel.send(outgoingMail(server.port, { message: { body: '<b>'.repeat(87_000) } })),
  ).toMatchObject({ status: 'sent' });
});
