import { afterAll, expect, test } from '@jest/globals';
import { startTestDashboard, type Headers } from '../../testing/test-dashboard.ts';

const dashboard = await startTestDashboard();
afterAll(async () => {
  await dashboard[Symbol.asyncDispose]();
});

const [owner, admin, viewer] = [await dashboard.signIn('owner'), await dashboard.signIn('admin'), await dashboard.signIn('viewer')];
const who: readonly (readonly [string, Headers])[] = [
  ['an admin', admin.headers],
  ['an administrator token', dashboard.asAdmin],
];

test.each(who)('S40 %s makes no owner, and touches none', async (_name, headers) => {
  const ownersId = owner.member.id;
  const answers = [
    await dashboard.request('POST', 'members', { headers, body: { email: 'new.owner@example.com', name: 'N', role: 'owner' } }),
    await dashboard.request('PATCH', `members/${viewer.member.id}`, { headers, body: { role: 'owner' } }),
    await dashboard.request('PATCH', `members/${admin.member.id}`, { headers, body: { role: 'owner' } }),
    await dashboard.request('PATCH', `members/${ownersId}`, { headers, body: { role: 'viewer' } }),
    await dashboard.request('PATCH', `members/${ownersId}`, { headers, body: { name: 'Mallory' } }),
    await dashboard.request('POST', `members/${ownersId}/invitation`, { headers }),
    await dashboard.request('DELETE', `members/${ownersId}`, { headers }),
  ];

  expect(answers.map(({ status, problem }) => [status, problem.code])).toEqual(answers.map(() => [403, 'role_forbidden']));
  expect((await dashboard.request('GET', 'session', { headers: owner.headers })).body).toMatchObject({ user: { role: 'owner', name: owner.member.name } });
});
