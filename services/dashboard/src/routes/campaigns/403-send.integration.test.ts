import { afterAll, expect, test } from '@jest/globals';
import { MEMBER_ROLES, type MemberRole } from '@tidings/contracts';
import { asKey, startTestDashboard } from '../../testing/test-dashboard.ts';

const dashboard = await startTestDashboard();
afterAll(async () => {
  await dashboard[Symbol.asyncDispose]();
});
const body = { recipients: ['u1'], channel: 'SMS', message: { body: 'Hi' } };

async function storedCampaigns(): Promise<number> {
  const { rows } = await dashboard.db.sql.query<{ n: number }>(
    'select count(*)::int as n from campaigns where application_id = $1',
    [dashboard.tenant.applicationId],
  );
  return rows[0]?.n ?? 0;
}

const SENDERS: readonly MemberRole[] = ['owner', 'admin', 'marketer'];

test.each(MEMBER_ROLES)('whether %s may send, or try dry', async (role) => {
  const { headers } = await dashboard.signIn(role);
  const before = await storedCampaigns();
  const maySend = SENDERS.includes(role);

  const sent = await dashboard.request('POST', 'campaigns', { headers, body });
  const tried = await dashboard.request('POST', 'campaigns', {
    headers,
    body: { ...body, dryRun: true },
  });

  expect([sent.status, tried.status]).toEqual(maySend ? [200, 200] : [403, 403]);
  expect([sent.problem.code, tried.problem.code]).toEqual(
    maySend ? [undefined, undefined] : ['role_forbidden', 'role_forbidden'],
  );
  expect(await storedCampaigns()).toBe(before + (maySend ? 1 : 0));
});

test('a Client key, a page of another site and a key of another application send nothing', async () => {
  const { headers } = await dashboard.signIn('marketer');
  const before = await storedCampaigns();
  const refused = [
    asKey(dashboard.tenant, dashboard.tenant.clientKey),
    { ...headers, 'Sec-Fetch-Site': 'cross-site' },
    { ...headers, 'X-CSRF-Token': 'guessed' },
    asKey(dashboard.tenant, dashboard.other.serverKey),
  ];

  const answers = [];
  for (const wrong of refused)
    answers.push(await dashboard.request('POST', 'campaigns', { headers: wrong, body }));

  expect(answers.map(({ status, problem }) => `${status} ${problem.code}`)).toEqual([
    '403 client_key_forbidden',
    '403 csrf_rejected',
    '403 csrf_rejected',
    '403 forbidden',
  ]);
  expect(await storedCampaigns()).toBe(before);
});
