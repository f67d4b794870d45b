import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { writeAllowList } from '@tidings/accounts/applications';
import { asKey, startTestApi, type Headers, type TestApi } from '../testing/test-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ trustedProxies: [] });
});
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});

/** Requests come from 127.0.0.1, and no proxy is trusted. */
async function read(headers: Headers): Promise<unknown> {
  const { status, problem } = await api.request('GET', 'campaigns', { headers });
  return [status, problem.code];
}

describe('the allow-list of an application', () => {
  beforeEach(async () => {
    await writeAllowList(api.db, api.tenant.applicationId, ['10.0.0.0/8']);
  });

  test('rejects its Server key from other addresses, also with a forged X-Forwarded-For', async () => {
    expect(await read(api.asServer)).toEqual([403, 'ip_not_allowed']);
    expect(await read({ ...api.asServer, 'X-Forwarded-For': '10.1.2.3' })).toEqual([
      403,
      'ip_not_allowed',
    ]);
  });

  test('accepts its Server key from its addresses, and from all when empty', async () => {
    await writeAllowList(api.db, api.tenant.applicationId, ['10.0.0.0/8', '127.0.0.1']);
    expect(await read(api.asServer)).toEqual([200, undefined]);

    await writeAllowList(api.db, api.tenant.applicationId, []);
    expect(await read(api.asServer)).toEqual([200, undefined]);
  });

  test('is not revealed without a valid key', async () => {
    expect(await read({ ...api.asServer, 'X-API-Key': 'sk_wrong' })).toEqual([403, 'forbidden']);
    expect(await read(asKey(api.tenant, api.other.serverKey))).toEqual([403, 'forbidden']);
  });

  test('does not apply to administrators, who must be able to fix it, nor to other applications', async () => {
    expect(await read(api.asAdmin)).toEqual([200, undefined]);
    expect(await read(asKey(api.other, api.other.serverKey))).toEqual([200, undefined]);
  });
});
