import { afterAll, expect, test } from '@jest/globals';
import { MEMBER_ROLES } from '@tidings/contracts/members';
import { registerUsers } from '@tidings/testing';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});

test.each(MEMBER_ROLES)(
  'the role %s gets all users as a file only where it may export one of them',
  async (role) => {
    await registerUsers(api.db, api.tenant.applicationId, [`known to ${role}`]);
    const { headers } = await api.signIn(role);
    const get = async (path: string, more = {}) =>
      (await api.request('GET', path, { headers: { ...headers, ...more } })).status;

    const one = await get(`users/${encodeURIComponent(`known to ${role}`)}/export`);

    expect(one).toBe(role === 'viewer' ? 403 : 200);
    expect([await get('users?format=csv'), await get('users', { Accept: 'text/csv' })]).toEqual([
      one,
      one,
    ]);
    expect(await get('users')).toBe(200);
  },
);
