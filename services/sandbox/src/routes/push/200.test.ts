import { expect, test } from '@jest/globals';
import { startTestSandbox } from '../../testing/test-sandbox.ts';

test('the service account is the same after a restart', async () => {
  await using first = await startTestSandbox();
  const account = (await (await first.request('GET', '/push/service-account')).json()) as Readonly<
    Record<string, string>
  >;
  expect(account).toMatchObject({
    type: 'service_account',
    project_id: 'tidings-sandbox',
    token_uri: `${first.url}/oauth2/token`,
    private_key: expect.stringContaining('PRIVATE KEY'),
  });
  await first.stop();

  await using second = await startTestSandbox({ dataDir: first.dataDir });

  expect(await (await second.request('GET', '/push/service-account')).json()).toEqual({
    ...account,
    token_uri: `${second.url}/oauth2/token`,
  });
});
