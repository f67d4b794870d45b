import { afterAll, expect, test } from '@jest/globals';
import { startTestDashboard } from '../../testing/test-dashboard.ts';

const dashboard = await startTestDashboard();
afterAll(async () => {
  await dashboard[Symbol.asyncDispose]();
});
const { asAdmin: headers } = dashboard;

test('a name is given once per kind, however many ask at the same time', async () => {
  const answers = await Promise.all(Array.from({ length: 10 }, () => dashboard.request('POST', 'definitions', { headers, body: { name: 'bought', kind: 'action' } })));

  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  expect(answers.filter(({ status, problem }) => status === 409 && problem.code === 'conflict')).toHaveLength(9);
  expect((await dashboard.request('POST', 'definitions', { headers, body: { name: 'bought', kind: 'revenue' } })).status).toBe(201);
});
