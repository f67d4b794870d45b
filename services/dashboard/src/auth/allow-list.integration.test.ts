import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { writeAllowList } from '@tidings/accounts/applications';
import {
  asKey,
  startTestDashboard,
  type Headers,
  type TestDashboard,
} from '../testing/test-dashboard.ts';

let dashboard: TestDashboard;
beforeAll(async () => {
  dashboard = await startTestDashboard({ trustedProxies: [] });
});
afterAll(async () => {
  await dashboard[Symbol.asyncDispose]();
});

/** Requests of these tests come from 127.0.0.1, and no proxy is trusted. */
async function read(headers: Headers): Promise<unknown> {
  const { status, problem } = await dashboard.request('GET', 'campaigns', { headers });
  return [status, problem.code];
}

describe('the allow-list of an application', () => {
  beforeEach(async () => {
    await writeAllowList(dashboard.db, dashboard.tenant.applicationId, ['10.0.0.0/8']);
  });

  test('refuses its Server key elsewhere, whatever address the caller claims', async () => {
    expect(await read(dashboard.asServer)).toEqual([403, 'ip_not_allowed']);
    expect(await read({ ...dashboard.asServer, 'X-Forwarded-For': '10.1.2.3' })).toEqual([
      403,
      'ip_not_allowed',
    ]);
  });

  test('lets its Server key in from its addresses, and from all when it is empty', async () => {
    await writeAllowList(dashboard.db, dashboard.tenant.applicationId, ['10.0.0.0/8', '127.0.0.1']);
    expect(await read(dashboard.asServer)).toEqual([200, undefined]);

    await writeAllowList(dashboard.db, dashboard.tenant.applicationId, []);
    expect(await read(dashboard.asServer)).toEqual([200, undefined]);
  });

  test('is not spoken of to who has no valid key', async () => {
    expect(await read({ ...dashboard.asServer, 'X-API-Key': 'sk_wrong' })).toEqual([
      403,
      'forbidden',
    ]);
    expect(await read(asKey(dashboard.tenant, dashboard.other.serverKey))).toEqual([
      403,
      'forbidden',
    ]);
  });

  test('does not bind administrators, who could not mend it otherwise, nor other applications', async () => {
    expect(await read(dashboard.asAdmin)).toEqual([200, undefined]);
    expect(await read(asKey(dashboard.other, dashboard.other.serverKey))).toEqual([200, undefined]);
  });
});
