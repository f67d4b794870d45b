import { afterAll, expect, test } from '@jest/globals';
import { MEMBER_ROLES, type MemberRole } from '@tidings/contracts/members';
import { asKey, startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const body = { recipients: ['u1'], channel: 'SMS', message: { body: 'Hi' } };

async function storedCampaigns(): Promise<number> {
  const { rows } = await api.db.sql.query<{ n: number }>(
    'select count(*)::int as n from campaigns where application_id = $1',
    [api.tenant.applicationId],
  );
  return rows[0]?.n ?? 0;
}

const SENDERS: readonly MemberRole[] = ['owner', 'admin', 'marketer'];

test.each(MEMBER_ROLES)('whether %s may send, or try dry', async (role) => {
  const { headers } = await api.signIn(role);
  const before = await storedCampaigns();
  const maySend = SENDERS.includes(role);

  const sent = await api.request('POST', 'campaigns', { headers, body });
  const tried = await api.request('POST', 'campaigns', {
    headers,
    body: { ...body, dryRun: true },
  });

  expect([sent.status, tried.status]).toEqual(maySend ? [200, 200] : [403, 403]);
  expect([sent.problem.code, tried.problem.code]).toEqual(
    maySend ? [undefined, undefined] : ['role_forbidden', 'role_forbidden'],
  );
  expect(await storedCampaigns()).toBe(before + (maySend ? 1 : 0));
});

test('a Client key, another site and a key of another application cannot send', async () => {
  const { headers } = await api.signIn('marketer');
  const before = await storedCampaigns();
  const refused = [
    asKey(api.tenant, api.tenant.clientKey),
    { ...headers, 'Sec-Fetch-Site': 'cross-site' },
    { ...headers, 'X-CSRF-Token': 'guessed' },
    asKey(api.tenant, api.other.serverKey),
  ];

  const answers = [];
  for (const wrong of refused)
    answers.push(await api.request('POST', 'campaigns', { headers: wrong, body }));

  expect(answers.map(({ status, problem }) => `${status} ${problem.code}`)).toEqual([
    '403 client_key_forbidden',
    '403 csrf_rejected',
    '403 csrf_rejected',
    '403 forbidden',
  ]);
  expect(await storedCampaigns()).toBe(before);
});
