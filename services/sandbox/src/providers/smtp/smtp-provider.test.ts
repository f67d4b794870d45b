import { expect, test } from '@jest/globals';
import { createTransport } from 'nodemailer';
import { openSmtp, sendMail } from '../../testing/smtp-conversation.ts';
import { campaignMail, startTestSandbox } from '../../testing/test-sandbox.ts';

test('a mail is stored with the campaign and delivery of its headers before 250 is sent', async () => {
  await using sandbox = await startTestSandbox();

  const { response } = await sandbox.send({
    ...campaignMail('ann@example.com', 'c1', 'd1'),
    subject: 'Größe <b>',
  });
  const { count, messages } = await sandbox.messages();

  expect(response).toMatch(/^250 /);
  expect(count).toBe(1);
  expect(messages[0]).toMatchObject({
    channel: 'EMAIL',
    to: 'ann@example.com',
    campaignId: 'c1',
    deliveryId: 'd1',
    title: 'Größe <b>',
    body: '<p>Hello</p>\n',
    data: {
      from: 'shop@example.com',
      login: null,
      html: '<p>Hello</p>\n',
      text: null,
      headers: { 'x-tidings-campaign': 'c1' },
    },
  });
  expect(messages[0]?.raw).toContain('X-Tidings-Delivery: d1\r\n');
});

test('a mail to several envelope recipients is one message per recipient', async () => {
  await using sandbox = await startTestSandbox();

  await sandbox.send({
    ...campaignMail('ann@example.com', 'c1', 'd1'),
    bcc: ['bob@example.com', 'cid@example.com'],
  });
  const { messages } = await sandbox.messages();

  expect(messages.map(({ to }) => to).sort()).toEqual([
    'ann@example.com',
    'bob@example.com',
    'cid@example.com',
  ]);
});

test('any user and password is accepted, and a mail says by which user it came', async () => {
  await using sandbox = await startTestSandbox();
  const transport = createTransport({
    host: '127.0.0.1',
    port: sandbox.smtpPort,
    auth: { user: 'anyone', pass: 'anything' },
  });

  await expect(transport.verify()).resolves.toBe(true);
  await transport.sendMail(campaignMail('ann@example.com', 'c1', 'd1'));
  const { messages } = await sandbox.messages();
  expect(messages[0]?.data).toMatchObject({ login: 'anyone' });
});

test.each([
  { kind: 'reject', expected: '550 5.1.1 Rejected by a fault of the sandbox', kept: 0 },
  {
    kind: 'reject',
    status: 450,
    code: '4.2.1',
    expected: '450 4.2.1 Rejected by a fault of the sandbox',
    kept: 0,
  },
  {
    kind: 'status',
    status: 552,
    code: '5.2.2',
    expected: '552 5.2.2 Rejected by a fault of the sandbox',
    kept: 0,
  },
  { kind: 'status', status: 421, expected: '421 Rejected by a fault of the sandbox', kept: 0 },
  { kind: 'drop_reply', expected: 'closed', kept: 1 },
  { kind: 'reset', expected: 'reset', kept: 0 },
])(
  'the fault $kind $status replies "$expected" and stores $kept',
  async ({ expected, kept, ...fault }) => {
    await using sandbox = await startTestSandbox();
    await sandbox.request('POST', '/api/faults', { channel: 'EMAIL', rate: 1, ...fault });
    using smtp = await openSmtp(sandbox.smtpPort);

    const reply = await sendMail(smtp, 'ann@example.com');

    expect(reply).toBe(expected);
    expect((await sandbox.messages()).count).toBe(kept);
  },
);

test('a delayed mail is stored before its reply', async () => {
  await using sandbox = await startTestSandbox();
  const delayMs = 300;
  await sandbox.request('POST', '/api/faults', {
    channel: 'EMAIL',
    kind: 'delay',
    rate: 1,
    delayMs,
  });
  using smtp = await openSmtp(sandbox.smtpPort);
  const begun = performance.now();

  const reply = sendMail(smtp, 'ann@example.com');
  const keptFirst = await Promise.race([reply, untilKept(() => sandbox.messages())]);

  expect(keptFirst).toBe('kept');
  expect(await reply).toMatch(/^250 /);
  expect(performance.now() - begun).toBeGreaterThanOrEqual(delayMs - 1);
});

test('a rejected recipient does not affect other recipients of the mail', async () => {
  await using sandbox = await startTestSandbox();
  using smtp = await openSmtp(sandbox.smtpPort);
  await smtp.say('MAIL FROM:<shop@example.com>');

  await smtp.say('RCPT TO:<ann@example.com>');
  await sandbox.request('POST', '/api/faults', { channel: 'EMAIL', kind: 'reject', rate: 1 });
  const refusal = await smtp.say('RCPT TO:<bob@example.com>');
  await smtp.say('DATA');
  await smtp.say('Subject: Hello\r\n\r\nText\r\n.');

  expect(refusal).toMatch(/^550 /);
  expect((await sandbox.messages()).messages.map(({ to }) => to)).toEqual(['ann@example.com']);
});

async function untilKept(messages: () => Promise<{ readonly count: number }>): Promise<'kept'> {
  const deadline = Date.now() + 5_000;
  while ((await messages()).count === 0)
    if (Date.now() > deadline) throw new Error('the mail was not stored in time');
  return 'kept';
}
