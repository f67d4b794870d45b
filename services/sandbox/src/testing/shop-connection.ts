import type { TestSandbox } from './test-sandbox.ts';

export const CONNECTION = {
  baseUrl: 'http://127.0.0.1:9',
  applicationId: '01a1fd9f-1111-7000-8000-000000000001',
  clientKey: 'ck_of_a_test',
  serverKey: 'sk_canary_of_a_test',
  userTokenSecret: 'ut_canary_of_a_test',
};

/** Connects the shop to an application; by default to one whose service is down. */
export function connectShop(
  sandbox: TestSandbox,
  changes: Partial<typeof CONNECTION> = {},
): Promise<Response> {
  return sandbox.request('PUT', '/api/shop', { ...CONNECTION, ...changes });
}
