import { expect, test } from '@jest/globals';
import { startTestSandbox } from '../../testing/test-sandbox.ts';

test('the page and every file it names are served, with a policy that allows no inline script', async () => {
  await using sandbox = await startTestSandbox();

  const page = await sandbox.request('GET', '/');
  const html = await page.text();
  const files = [...html.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path]) => path ?? '');
  const statuses = await Promise.all(
    files.map(async (path) => (await sandbox.request('GET', path)).status),
  );

  expect(page.status).toBe(200);
  expect(page.headers.get('Content-Security-Policy')).toContain(
    "default-src 'none'; script-src 'self';",
  );
  expect(files).toContain('/main.js');
  expect(statuses).toEqual(files.map(() => 200));
  expect(html).not.toMatch(/<script(?![^>]*src=)|\son\w+=|\{\{/);
});

test('the page shows the SMTP port', async () => {
  await using sandbox = await startTestSandbox();

  const html = await (await sandbox.request('GET', '/')).text();

  expect(html).toContain(`smtp://127.0.0.1:${sandbox.smtpPort}`);
});

test.each(['/nothing', '/index.html', '/../package.json', '/%2e%2e/package.json', '/api/nothing'])(
  '%s is not found',
  async (path) => {
    await using sandbox = await startTestSandbox();

    const response = await sandbox.request('GET', path);

    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ code: 'not_found' });
  },
);

test('the page can only be read', async () => {
  await using sandbox = await startTestSandbox();

  expect((await sandbox.request('POST', '/', {})).status).toBe(405);
});
