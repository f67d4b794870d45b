import { afterAll, expect, test } from '@jest/globals';
import { MEMBER_ROLES } from '@tidings/contracts';
import { registerUsers } from '@tidings/testing';
import { startTestDashboard } from '../../testing/test-dashboard.ts';

const dashboard = await startTestDashboard();
afterAll(async () => {
  await dashboard[Symbol.asyncDispose]();
});

test.each(MEMBER_ROLES)(
  'the role %s gets all users as a file only where it may export one of them',
  async (role) => {
    await registerUsers(dashboard.db, dashboard.tenant.applicationId, [`known to ${role}`]);
    const { headers } = await dashboard.signIn(role);
    const get = async (path: string, more = {}) =>
      (await dashboard.request('GET', path, { headers: { ...headers, ...more } })).status;

    const one = await get(`users/${encodeURIComponent(`known to ${role}`)}/export`);

    expect(one).toBe(role === 'viewer' ? 403 : 200);
    expect([await get('users?format=csv'), await get('users', { Accept: 'text/csv' })]).toEqual([
      one,
      one,
    ]);
    expect(await get('users')).toBe(200);
  },
);
