import { expect, test } from '@jest/globals';
import { openRates } from '@tidings/access';
import { updateApplication } from '@tidings/people/update-application';
import { readEnvironment, systemClock, systemIds } from '@tidings/platform';
import { createRecordingLogger } from '@tidings/testing';
import { startTestApi } from '../../testing/test-api.ts';

const BURST = 20;

test('shares the rate limit of POST /push', async () => {
  const redis = {
    redisUrl: readEnvironment()['REDIS_URL'] ?? '',
    redisProtocol: 3,
    rateShareReplicas: 1,
  };
  const context = { logger: createRecordingLogger().logger, clock: systemClock, ids: systemIds };
  const rates = { push: { perSecond: 0, burst: 1 } };
  const [gateway, own] = [
    openRates(redis, context, { service: 'gateway', rates }),
    openRates(redis, context, { service: 'api', rates }),
  ];
  await using api = await startTestApi({ rates: own.rates });
  const { applicationId } = api.tenant;
  const settings = { rates: { push: { perSecond: 0.001, burst: BURST } } };
  await updateApplication(api.db, applicationId, { settings });
  const { headers } = await api.signIn('marketer');
  const body = { recipients: ['u1'], channel: 'SMS', message: { body: 'Hi' } };

  const atGateway = gateway.rates.bucketOf('push', { applicationId, settings });
  let sent = 0;
  while ((await atGateway?.take()) === true && sent < BURST / 2) sent += 1;
  const answers = [];
  for (let index = 0; index < BURST; index += 1)
    answers.push(
      await api.request('POST', 'campaigns', {
        headers: index % 2 === 0 ? headers : api.asServer,
        body,
      }),
    );
  gateway.close();
  own.close();

  const statuses = answers.map(({ status }) => status);
  expect(statuses[0]).toBe(200);
  expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(BURST - sent);
  expect(answers.at(-1)).toMatchObject({ status: 429, problem: { code: 'rate_limited' } });
  expect(Number(answers.at(-1)?.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  expect(api.announced).toHaveLength(statuses.filter((status) => status === 200).length);
});
