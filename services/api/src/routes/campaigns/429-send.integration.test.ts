/** @needs redis */

import { expect, test } from '@jest/globals';
import { openRates } from '@tidings/access';
import { createInProcessCoordination, type Coordination } from '@tidings/coordination';
import { updateApplication } from '@tidings/people/update-application';
import { systemClock } from '@tidings/platform';
import { openTestCoordination } from '@tidings/testing';
import { startTestApi } from '../../testing/test-api.ts';

const BURST = 20;

/** The coordination of the gateway, and of the API. */
const ARRANGEMENTS: readonly [string, () => Promise<readonly [Coordination, Coordination]>][] = [
  ['two processes with Redis', () => Promise.all([openTestCoordination(), openTestCoordination()])],
  [
    'two services of one process',
    () => {
      const coordination = createInProcessCoordination({ clock: systemClock });
      return Promise.resolve([coordination, coordination]);
    },
  ],
];

test.each(ARRANGEMENTS)('shares the rate limit of POST /push: %s', async (_, coordinate) => {
  const coordinations = await coordinate();
  const rates = { push: { perSecond: 0, burst: 1 } };
  const [gateway, own] = [
    openRates({ rateShareReplicas: 1 }, { rates, coordination: coordinations[0] }),
    openRates({ rateShareReplicas: 1 }, { rates, coordination: coordinations[1] }),
  ];
  await using api = await startTestApi({ rates: own.rates });
  const { applicationId } = api.tenant;
  const settings = { rates: { push: { perSecond: 0.001, burst: BURST } } };
  await updateApplication(api.db, applicationId, { settings });
  const { headers } = await api.signIn('marketer');
  const body = { recipients: ['u1'], channel: 'SMS', message: { body: 'Hi' } };

  const atGateway = gateway.rates.bucketOf('push', { applicationId, settings });
  let sent = 0;
  while (sent < BURST / 2 && (await atGateway?.take()) === true) sent += 1;
  const answers = [];
  for (let index = 0; index < BURST; index += 1)
    answers.push(
      await api.request('POST', 'campaigns', {
        headers: index % 2 === 0 ? headers : api.asServer,
        body,
      }),
    );
  for (const coordination of coordinations) await coordination.close();

  const statuses = answers.map(({ status }) => status);
  expect(statuses[0]).toBe(200);
  expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(BURST - sent);
  expect(answers.at(-1)).toMatchObject({ status: 429, problem: { code: 'rate_limited' } });
  expect(Number(answers.at(-1)?.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  expect(api.announced).toHaveLength(statuses.filter((status) => status === 200).length);
});
