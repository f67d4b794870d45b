import { afterAll, expect, test } from '@jest/globals';
import { acceptCampaign } from '@tidings/delivery/accept';
import { systemIds } from '@tidings/platform';
import { newCampaign } from '@tidings/testing';
import { startTestDashboard } from '../../testing/test-dashboard.ts';

const dashboard = await startTestDashboard();
afterAll(async () => {
  await dashboard[Symbol.asyncDispose]();
});
const theirs = newCampaign({ applicationId: dashboard.other.applicationId });
await acceptCampaign(dashboard.db, theirs);

const ids = [
  ['an id nobody has', systemIds.uuid()],
  ['what is no id', 'x'],
  ['U+0000', '%00'],
  ['a campaign of another tenant', theirs.campaignId],
] as const;

test.each(
  ids.flatMap(([name, id]) =>
    ['', '/deliveries', '/events'].map((rest) => [name, `campaigns/${id}${rest}`] as const),
  ),
)('%s: %s', async (_name, path) => {
  for (const headers of [dashboard.asServer, dashboard.asAdmin]) {
    const { status, problem } = await dashboard.request('GET', path, { headers });

    expect([status, problem.code]).toEqual([404, 'not_found']);
  }
});

test('the list holds no campaign of another tenant', async () => {
  const { body } = await dashboard.request(
    'GET',
    `campaigns?cursor=ffffffff-ffff-ffff-ffff-ffffffffffff`,
    { headers: dashboard.asServer },
  );

  expect(body).toEqual({ items: [], nextCursor: null });
});
