import { expect, test } from '@jest/globals';
import { parseWebPushSubscription } from '@tidings/contracts';
import { startTestSandbox } from '../../testing/test-sandbox.ts';

test('every subscription is one of its own, as a browser gives it', async () => {
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
