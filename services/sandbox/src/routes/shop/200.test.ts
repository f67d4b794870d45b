import { expect, test } from '@jest/globals';
import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { CONNECTION, connectShop } from '../../testing/shop-connection.ts';
import { startTestSandbox } from '../../testing/test-sandbox.ts';

test('the shop and every file it names are served, with its application in them, no secret, and nothing inline', async () => {
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

test('its address without the last slash leads to it', async () => {
  await using sandbox = await startTestSandbox();
  await connectShop(sandbox);

  expect((await sandbox.request('GET', '/shop')).url).toBe(`${sandbox.url}/shop/`);
});

test('who signs in is made known to the service with the Server key, and gets a token for an hour, signed with the secret', async () => {
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
