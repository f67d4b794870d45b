import { afterAll, expect, test } from '@jest/globals';
import { startTestDashboard } from '../../testing/test-dashboard.ts';

const dashboard = await startTestDashboard();
afterAll(async () => {
  await dashboard[Symbol.asyncDispose]();
});
const { asAdmin: headers, asServer } = dashboard;

test.each([
  [{}, ['/kind', '/name']],
  [{ name: 'x', kind: 'user' }, ['/kind']],
  [{ name: 'x', kind: 'Action' }, ['/kind']],
  [{ name: '', kind: 'action' }, ['/name']],
  [{ name: ' \t ', kind: 'action' }, ['/name']],
  [{ name: 'a\u0000', kind: 'action' }, ['/name']],
  [{ name: 'a\udc00', kind: 'action' }, ['/name']],
  [{ name: 'x'.repeat(257), kind: 'action' }, ['/name']],
  [{ name: 5, kind: 'action' }, ['/name']],
])('POST definitions %j', async (body, pointers) => {
  const { status, problem } = await dashboard.request('POST', 'definitions', { headers, body });

  expect(status).toBe(400);
  expect(problem.errors?.map(({ pointer }) => pointer).toSorted()).toEqual(pointers);
});

test.each(['limit=0', 'limit=501', 'cursor=nosuch'])('GET definitions?%s', async (query) => {
  expect((await dashboard.request('GET', `definitions?${query}`, { headers: asServer })).status).toBe(400);
});

test.each([
  ['PATCH', 'definitions/qwert', { name: '' }, '/name'],
  ['PATCH', 'definitions/qwert', { name: ' ' }, '/name'],
  ['PATCH', 'definitions/qwert', { name: null }, '/name'],
  ['PATCH', 'definitions/qwert', { discarded: 'yes' }, '/discarded'],
  ['PATCH', 'definitions/qwert', { kind: 'action' }, '/kind'],
  ['POST', 'definitions/qwert/merge', {}, '/into'],
  ['POST', 'definitions/qwert/merge', { into: 5 }, '/into'],
  ['POST', 'definitions/qwert/merge', { into: 'a\u0000' }, '/into'],
])('%s %s %j', async (method, path, body, pointer) => {
  const { status, problem } = await dashboard.request(method, path, { headers, body });

  expect(status).toBe(400);
  expect(problem.errors).toMatchObject([{ pointer, expected: expect.any(String) }]);
});
