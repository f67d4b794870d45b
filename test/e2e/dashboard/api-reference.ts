import { expect, test } from '@jest/globals';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { visitDocs } from '../../browser/support/docs.ts';
import type { Installation } from './installation.ts';

const run = promisify(execFile);

/** What a developer reads first: the root of the installation, and the samples of `/docs`, which run as they are shown. */
export function apiReferenceTests(installation: () => Installation): void {
  test('a browser that opens the root is sent to the dashboard', async () => {
    const { local } = installation();

    const answer = await fetch(local.baseUrl, {
      redirect: 'manual',
      headers: { Accept: 'text/html,*/*;q=0.8' },
    });

    expect([answer.status, answer.headers.get('Location')]).toEqual([303, local.dashboardUrl]);
  });

  test.each([
    ['/docs/api/ingest', 'submitMessages', { status: 'accepted', accepted: 4 }],
    ['/docs/api/push', 'send', { status: 'queued', channel: 'EMAIL' }],
    ['/docs/api/users', 'listUsers', { nextCursor: null }],
    ['/docs/api/keys', 'listKeys', { nextCursor: null }],
  ])(
    '%s: the sample of %s runs as it is shown',
    async (path, operation, expected) => {
      const { browser, local } = installation();
      await using visit = await visitDocs(browser, local.baseUrl);
      await visit.page.goto(`${local.baseUrl}${path}`);
      const sample = await visit.page.locator(`#${operation} .sample pre`).first().innerText();

      const { stdout } = await run(
        'sh',
        ['-uc', sample.replace('curl -s', 'curl -sS --fail-with-body')],
        {
          env: {
            PATH: process.env['PATH'],
            URL: local.baseUrl,
            APP: local.applicationId,
            KEY: local.serverKey,
            TOKEN: local.adminToken,
          },
        },
      );

      expect(JSON.parse(stdout)).toMatchObject(expected);
      expect([visit.outside, visit.faults]).toEqual([[], []]);
    },
    60_000,
  );
}
