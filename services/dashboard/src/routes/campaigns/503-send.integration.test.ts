import { expect, test } from '@jest/globals';
import { AppError, createAdmission } from '@tidings/platform';
import { startTestDashboard } from '../../testing/test-dashboard.ts';

const body = { recipients: ['u1'], channel: 'SMS', message: { body: 'Hi' } };

test('a campaign that cannot be stored now: nothing is announced, and the audit log says so', async () => {
  const away = Object.assign(new Error('canary'), { code: 'ECONNREFUSED' });
  await using dashboard = await startTestDashboard({
    campaigns: { accept: () => Promise.reject(away) },
  });
  const { headers, member } = await dashboard.signIn('marketer');

  const {
    status,
    problem,
    headers: answered,
    text,
  } = await dashboard.request('POST', 'campaigns', { headers, body });

  expect([status, problem.code]).toEqual([503, 'unavailable']);
  expect(Number(answered.get('retry-after'))).toBeGreaterThanOrEqual(1);
  expect(text).not.toContain('canary');
  expect(dashboard.announced).toEqual([]);
  const { rows } = await dashboard.db.sql.query(
    'select status from audit_entries where member_id = $1',
    [member.id],
  );
  expect(rows).toEqual([{ status: 503 }]);
});

test('one that is not confirmed before the deadline', async () => {
  await using dashboard = await startTestDashboard({
    campaigns: {
      accept: () =>
        Promise.reject(
          new AppError('unavailable', 'Not stored in time.', { retryAfterSeconds: 1 }),
        ),
    },
  });

  expect(
    (await dashboard.request('POST', 'campaigns', { headers: dashboard.asServer, body })).status,
  ).toBe(503);
});

test('one for which there is no memory, before its body is read', async () => {
  await using dashboard = await startTestDashboard({
    admission: createAdmission({ path: 'push', bytesMax: 5, requestsMax: 10 }),
  });

  const { status, headers } = await dashboard.request('POST', 'campaigns', {
    headers: dashboard.asServer,
    body: '{"broken',
  });

  expect([status, headers.get('retry-after')]).toEqual([503, expect.stringMatching(/^[1-5]$/)]);
});
