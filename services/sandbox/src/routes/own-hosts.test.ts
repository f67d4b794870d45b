import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { request } from 'node:http';
import { campaignMail, startTestSandbox, type TestSandbox } from '../testing/test-sandbox.ts';

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await startTestSandbox({ hostnames: ['Sandbox.Test', '192.168.0.5', '[fd00::1]'] });
  await sandbox.send(campaignMail('ann@example.com', 'c1', 'd1'));
});
afterAll(async () => {
  await sandbox[Symbol.asyncDispose]();
});

/** `fetch` chooses the Host itself. */
const ask = (host: string, { path = '/api/messages', method = 'GET' } = {}) =>
  new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
    const asked = request(`${sandbox.url}${path}`, { method, headers: { host } }, (res) => {
      let text = '';
      res.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      res.on('end', () => resolve({ status: res.statusCode, text }));
    });
    asked.on('error', reject).end();
  });

describe('the messages are read', () => {
  test.each([
    'localhost',
    'localhost:8025',
    'LOCALHOST.:8025',
    'shop.localhost:8025',
    '127.0.0.1',
    '127.0.0.1:8025',
    '127.8.9.1:1',
    '[::1]:8025',
    'sandbox.test:8025',
    '192.168.0.5:8025',
    '[fd00::1]:8025',
  ])('at %s', async (host) => {
    const { status, text } = await ask(host);

    expect(status).toBe(200);
    expect(text).toContain('ann@example.com');
  });
});

describe('nothing is read by a page whose name resolves to the sandbox', () => {
  test.each([
    'evil.example',
    'evil.example:8025',
    'localhost.evil.example',
    'evillocalhost',
    '127.0.0.1.evil.example:8025',
    'sandbox.test.evil.example',
    '192.168.0.6',
    '0.0.0.0:8025',
    '[::2]',
  ])('at %j', async (host) => {
    const { status, text } = await ask(host);

    expect(status).toBe(421);
    expect(text).not.toContain('ann@');
    expect(JSON.parse(text)).toMatchObject({
      status: 421,
      detail: expect.stringContaining('SANDBOX_HOSTNAMES'),
    });
    expect(text).not.toContain(host);
  });

  test.each([
    ['GET', '/'],
    ['GET', '/api/messages/stream'],
    ['GET', '/api/messages/counts'],
    ['DELETE', '/api/messages'],
    ['GET', '/api/faults'],
    ['GET', '/api/devices'],
    ['GET', '/shop/'],
    ['GET', '/push/service-account'],
    ['GET', '/vonage/application'],
    ['POST', '/push/subscriptions'],
    ['GET', '/nowhere'],
  ])('%s %s', async (method, path) => {
    expect((await ask('evil.example', { method, path })).status).toBe(421);
  });
});

test.each(['evil.example@127.0.0.1', 'localhost/evil', 'a b'])('%j is no host', async (host) => {
  expect((await ask(host)).status).toBe(400);
});

test('workers reach the providers by any name', async () => {
  for (const path of ['/hooks/a', '/2010-04-01/Accounts/AC0/Messages.json'])
    expect((await ask('sandbox.internal', { method: 'POST', path })).status).not.toBe(421);
});
