import { createHmac } from 'node:crypto';
import { statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';
import { CONNECTION, connectShop } from '../../testing/shop-connection.ts';
import { startTestSandbox } from '../../testing/test-sandbox.ts';

test('the shop and its files are served with the application id, without secrets and inline scripts', async () => {
  await using sandbox = await startTestSandbox();
  await connectShop(sandbox);

  const page = await sandbox.request('GET', '/shop/');
  const html = await page.text();
  const paths = [...html.matchAll(/(?:src|href)="(\/shop\/[^"#]+)"/g)]
    .map(([, path]) => path ?? '')
    .concat('/shop/worker.js');
  const answers = await Promise.all(paths.map((path) => sandbox.request('GET', path)));
  const texts = await Promise.all(answers.map((answer) => answer.text()));

  expect([page.status, ...answers.map(({ status }) => status)]).toEqual([
    200,
    ...paths.map(() => 200),
  ]);
  expect(page.headers.get('Content-Security-Policy')).toContain(
    `script-src 'self' ${CONNECTION.baseUrl}; connect-src 'self' ${CONNECTION.baseUrl}; frame-src ${CONNECTION.baseUrl};`,
  );
  expect(page.headers.get('Content-Security-Policy')).not.toContain('unsafe');
  expect(texts.join()).toContain(CONNECTION.clientKey);
  expect([html, ...texts].join()).not.toMatch(/canary|\{\{/);
  expect(html).not.toMatch(/<script(?![^>]*src=)|\son\w+=|\sstyle=/);
});

test('/shop redirects to /shop/', async () => {
  await using sandbox = await startTestSandbox();
  await connectShop(sandbox);

  expect((await sandbox.request('GET', '/shop')).url).toBe(`${sandbox.url}/shop/`);
});

test('the connection outlives a restart, and no other user of the machine can read it', async () => {
  await using before = await startTestSandbox();
  await connectShop(before);
  await before.stop();
  await using after = await startTestSandbox({ dataDir: before.dataDir });

  expect((await after.request('GET', '/shop/')).status).toBe(200);
  expect(statSync(join(before.dataDir, 'shop.json')).mode & 0o777).toBe(0o600);
});

test.each(['', '{}', '{"baseUrl":"<script>"}'])(
  'a file without a connection is none: %j',
  async (content) => {
    await using before = await startTestSandbox();
    writeFileSync(join(before.dataDir, 'shop.json'), content);
    await before.stop();
    await using after = await startTestSandbox({ dataDir: before.dataDir });

    expect((await after.request('GET', '/shop/')).status).toBe(409);
  },
);

test('signing in registers the user with the Server key and returns a user token for an hour', async () => {
  const calls: unknown[] = [];
  const service = createServer((req, res) => {
    void json(req).then((body) => {
      calls.push([req.url, req.headers['x-api-key'], body]);
      res.end('{}');
    });
  }).listen(0, '127.0.0.1');
  await using sandbox = await startTestSandbox();
  await connectShop(sandbox, {
    baseUrl: `http://127.0.0.1:${(service.address() as AddressInfo).port}`,
  });

  const { userToken } = (await (
    await sandbox.request('POST', '/shop/sign-in', { customUserId: 'ada' })
  ).json()) as { userToken: string };
  await new Promise((resolve) => service.close(resolve).closeAllConnections());

  const [header = '', payload = '', signature] = userToken.split('.');
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as {
    sub: string;
    iat: number;
    exp: number;
  };
  expect(signature).toBe(
    createHmac('sha256', CONNECTION.userTokenSecret)
      .update(`${header}.${payload}`)
      .digest('base64url'),
  );
  expect([claims.sub, claims.exp - claims.iat]).toEqual(['ada', 3_600]);
  expect(calls).toEqual([
    [
      '/',
      CONNECTION.serverKey,
      { customUserId: 'ada', messages: [expect.objectContaining({ type: 'user' })] },
    ],
  ]);
});

test.each(["http://a'; script-src *", 'javascript:1', 'http://a/b', ''])(
  'a base URL other than scheme and host is rejected: %j',
  async (baseUrl) => {
    await using sandbox = await startTestSandbox();

    const answer = await connectShop(sandbox, { baseUrl });

    expect([answer.status, await answer.json()]).toEqual([
      400,
      expect.objectContaining({
        code: 'validation_failed',
        errors: [expect.objectContaining({ pointer: '/baseUrl' })],
      }),
    ]);
  },
);

test.each([
  ['sign-in', {}],
  ['sign-in', { customUserId: '' }],
  ['send', { channel: 'SMS', customUserId: 'ada', body: 'x' }],
  ['send', { channel: 'ON_SITE', customUserId: 'ada', body: '' }],
])('%s with %j is rejected', async (path, body) => {
  await using sandbox = await startTestSandbox();
  await sandbox.request('PUT', '/api/shop', CONNECTION);

  expect((await sandbox.request('POST', `/shop/${path}`, body)).status).toBe(400);
});

test('a shop without a connection shows how to set it', async () => {
  await using sandbox = await startTestSandbox();

  const answer = await sandbox.request('GET', '/shop/');

  expect([answer.status, await answer.json()]).toEqual([
    409,
    expect.objectContaining({ detail: expect.stringContaining('PUT /api/shop') }),
  ]);
});

test('a request that another origin can send without a preflight is rejected', async () => {
  await using sandbox = await startTestSandbox();
  await connectShop(sandbox);

  const answer = await fetch(`${sandbox.url}/shop/send`, {
    method: 'POST',
    headers: { 'Content-Type': 'text/plain' },
    body: '{}',
  });

  expect(answer.status).toBe(415);
});

test('while the service is down, the shop returns an error', async () => {
  await using sandbox = await startTestSandbox();
  await connectShop(sandbox);

  expect(
    (
      await sandbox.request('POST', '/shop/send', {
        channel: 'ON_SITE',
        customUserId: 'ada',
        body: 'x',
      })
    ).status,
  ).toBe(503);
});
