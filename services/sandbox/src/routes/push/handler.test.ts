import { expect, test } from '@jest/globals';
import { parseWebPushSubscription } from '@tidings/contracts/channels/push-notifications';
import { subscribeAt } from '../../testing/push-clients.ts';
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

test('every subscription is distinct and has a browser’s format', async () => {
  await using sandbox = await startTestSandbox();

  const answers = await Promise.all(
    [{}, {}, { applicationServerKey: `B${'A'.repeat(86)}` }].map((body) =>
      sandbox.request('POST', '/push/subscriptions', body),
    ),
  );
  const texts = await Promise.all(answers.map((answer) => answer.text()));

  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
  const subscriptions = texts.map(parseWebPushSubscription);
  expect(new Set(subscriptions.map((subscription) => subscription?.endpoint)).size).toBe(3);
  for (const subscription of subscriptions)
    expect(subscription?.endpoint).toContain(`${sandbox.url}/wpush/`);
});

test('devices are unregistered; repeating it has no effect', async () => {
  await using sandbox = await startTestSandbox();
  const { subscriptionId } = await subscribeAt(sandbox);

  for (const path of [`/push/subscriptions/${subscriptionId}`, '/push/tokens/phone-1']) {
    for (let times = 0; times < 2; times += 1)
      expect((await sandbox.request('DELETE', path)).status).toBe(204);
  }
});

test.each([[{ applicationServerKey: 'short' }], [{ applicationServerKey: 5 }]])(
  'a subscription with %j is rejected',
  async (body) => {
    await using sandbox = await startTestSandbox();

    const answer = await sandbox.request('POST', '/push/subscriptions', body);

    expect([answer.status, await answer.json()]).toEqual([
      400,
      expect.objectContaining({
        errors: [expect.objectContaining({ pointer: '/applicationServerKey' })],
      }),
    ]);
  },
);

test('a subscription that was never issued cannot be unregistered', async () => {
  await using sandbox = await startTestSandbox();

  expect((await sandbox.request('DELETE', '/push/subscriptions/unknown')).status).toBe(404);
});

test.each([
  ['GET', '/push/subscriptions'],
  ['GET', '/push/tokens/phone-1'],
  ['POST', '/push/service-account'],
])('%s %s is rejected', async (method, path) => {
  await using sandbox = await startTestSandbox();

  expect((await sandbox.request(method, path)).status).toBe(405);
});
