import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { createTransport } from 'nodemailer';
import PostalMime from 'postal-mime';
import { startTestSandbox, type TestSandbox } from '../../testing/test-sandbox.ts';
import { readReportKind } from './report-mail.ts';

test.each([
  ['bounce-later@example.org', 'bounce'],
  ['ada.bounce-later.7@example.org', 'bounce'],
  ['BOUNCE-SOFT+x@example.org', 'delay'],
  ['complainer@example.org', 'complaint'],
  ['ada@bounce-later.example', null],
  ['ada@example.org', null],
])('a mail to %s causes the report: %s', (address, kind) => {
  expect(readReportKind(address)).toBe(kind);
});

describe('the report of a mail', () => {
  const received: { readonly req: IncomingMessage; readonly body: string }[] = [];
  let heard = (): void => undefined;
  // The first call fails, as while client-api starts.
  const receiver = createServer((req, res) => {
    void text(req).then((body) => {
      received.push({ req, body });
      res.writeHead(received.length === 1 ? 503 : 204).end();
      heard();
    });
  });
  let sandbox: TestSandbox;
  beforeAll(async () => {
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    sandbox = await startTestSandbox({
      reportUrl: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/cb/email/dsn`,
    });
  });
  afterAll(async () => {
    await sandbox[Symbol.asyncDispose]();
    receiver.close();
  });

  test('is posted with the credentials of the mail and retried until accepted; it is addressed to the return path and has the headers of the mail', async () => {
    const transport = createTransport({
      host: '127.0.0.1',
      port: sandbox.smtpPort,
      auth: { user: 'shop', pass: 'secret' },
    });
    const isTakenTwice = new Promise<void>((resolve) => {
      heard = () => received.length >= 2 && resolve();
    });

    await transport.sendMail({
      from: 'shop@example.com',
      to: 'bounce-later@example.org',
      envelope: { from: 'bounce+x.1.y@bounces.example.com', to: 'bounce-later@example.org' },
      headers: { 'X-Tidings-Return': 'x.1.y' },
      text: 'Hello',
    });
    await isTakenTwice;
    const [, { req, body } = { req: undefined, body: '' }] = received;
    const report = await PostalMime.parse(body, { attachmentEncoding: 'utf8' });
    const part = (type: string) =>
      report.attachments.find(({ mimeType }) => mimeType === type)?.content;

    expect(received[0]?.body).toBe(body);
    expect(req?.headers.authorization).toBe(
      `Basic ${Buffer.from('shop:secret').toString('base64')}`,
    );
    expect(report.to?.[0]?.address).toBe('bounce+x.1.y@bounces.example.com');
    expect(part('message/delivery-status')).toMatch(/Action: failed\r?\nStatus: 5\.1\.1/);
    expect(part('text/rfc822-headers')).toContain('X-Tidings-Return: x.1.y');
  });
});
