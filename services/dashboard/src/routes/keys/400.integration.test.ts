import { afterAll, expect, test } from '@jest/globals';
import { startTestDashboard } from '../../testing/test-dashboard.ts';

const dashboard = await startTestDashboard();
afterAll(async () => {
  await dashboard[Symbol.asyncDispose]();
});
const { asAdmin: headers } = dashboard;

test.each([
  [{}, ['/name', '/type']],
  [{ type: 'admin', name: 'x' }, ['/type']],
  [{ type: 'Server', name: 'x' }, ['/type']],
  [{ type: 'server', name: '' }, ['/name']],
  [{ type: 'server', name: 'a\u0000' }, ['/name']],
  [{ type: 'server', name: '\ud800' }, ['/name']],
  [{ type: 'server', name: 'x'.repeat(101) }, ['/name']],
  [{ type: 'client', name: 'x', allowedOrigins: ['https://x.example'] }, ['']],
])('POST keys %j', async (body, pointers) => {
  const { status, problem } = await dashboard.request('POST', 'keys', { headers, body });

  expect(status).toBe(400);
  expect(problem.errors?.map(({ pointer }) => pointer).toSorted()).toEqual(pointers);
  expect(dashboard.keyChanges).toEqual([]);
});

test.each([{}, { type: 'server' }, { type: null }])('PATCH keys/{id} %j', async (body) => {
  const { body: page } = await dashboard.request<{ items: { id: string }[] }>('GET', 'keys', { headers });

  const { status, problem } = await dashboard.request('PATCH', `keys/${String(page.items[0]?.id)}`, { headers, body });

  expect(status).toBe(400);
  expect(problem.errors?.map(({ pointer }) => pointer)).toEqual(['/type']);
});
