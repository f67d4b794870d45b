import { afterAll, expect, test } from '@jest/globals';
import { startTestDashboard } from '../../testing/test-dashboard.ts';

const dashboard = await startTestDashboard();
afterAll(async () => {
  await dashboard[Symbol.asyncDispose]();
});
const { tenant, asAdmin: headers } = dashboard;

test.each([
  [{}, '/name', 'required'],
  [{ name: null }, '/name', 'wrong_type'],
  [{ name: 5 }, '/name', 'wrong_type'],
  [{ name: '' }, '/name', 'empty'],
  [{ name: 'x'.repeat(201) }, '/name', 'too_long'],
  [{ name: 'a\u0000b' }, '/name', 'invalid_value'],
  [{ name: 'a\ud800' }, '/name', 'invalid_value'],
])('POST applications %j', async (body, pointer, code) => {
  const { status, problem } = await dashboard.request('POST', 'applications', { headers, body });

  expect(status).toBe(400);
  expect(problem).toMatchObject({ code: 'validation_failed', errors: [{ pointer, code }] });
});

test.each([
  [{ name: '' }, '/name'],
  [{ settings: null }, '/settings'],
  [{ settings: { defaultSubject: 'a\r\nBcc: x@y.example' } }, '/settings/defaultSubject'],
  [{ settings: { defaultSubject: 'a\u0000' } }, '/settings/defaultSubject'],
  [{ settings: { defaultSubject: '\udfff' } }, '/settings/defaultSubject'],
  [{ settings: { sendUntested: 'yes' } }, '/settings/sendUntested'],
  [{ settings: { unheardOf: 1 } }, '/settings'],
  [{ settings: { defaultCountry: 'DE' } }, '/settings'],
  [{ settings: { dedupeResolvedUsers: true } }, '/settings'],
])('PATCH applications/{id} %j, and changes nothing', async (body, pointer) => {
  const { status, problem } = await dashboard.request('PATCH', `applications/${tenant.applicationId}`, { headers, body });

  expect(status).toBe(400);
  expect(problem.errors?.map((error) => error.pointer)).toEqual([pointer]);
  expect((await dashboard.request('GET', `applications/${tenant.applicationId}`, { headers })).body).toMatchObject({ settings: {} });
});

test('GET applications takes only cursors of its own', async () => {
  expect((await dashboard.request('GET', 'applications?cursor=x', { headers })).status).toBe(400);
});
