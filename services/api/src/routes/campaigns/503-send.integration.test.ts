import { expect, test } from '@jest/globals';
import { createAdmission } from '@tidings/http/admission';
import { AppError } from '@tidings/platform';
import { startTestApi } from '../../testing/test-api.ts';

const body = { recipients: ['u1'], channel: 'SMS', message: { body: 'Hi' } };

test('a campaign that cannot be stored: it is not queued, and the audit log records the failure', async () => {
  const away = Object.assign(new Error('canary'), { code: 'ECONNREFUSED' });
  await using api = await startTestApi({
    campaigns: { accept: () => Promise.reject(away) },
  });
  const { headers, member } = await api.signIn('marketer');

  const {
    status,
    problem,
    headers: answered,
    text,
  } = await api.request('POST', 'campaigns', { headers, body });

  expect([status, problem.code]).toEqual([503, 'unavailable']);
  expect(Number(answered.get('retry-after'))).toBeGreaterThanOrEqual(1);
  expect(text).not.toContain('canary');
  expect(api.announced).toEqual([]);
  const { rows } = await api.db.sql.query('select status from audit_entries where member_id = $1', [
    member.id,
  ]);
  expect(rows).toEqual([{ status: 503 }]);
});

test('one that is not confirmed in time', async () => {
  await using api = await startTestApi({
    campaigns: {
      accept: () =>
        Promise.reject(
          new AppError('unavailable', 'Not stored in time.', { retryAfterSeconds: 1 }),
        ),
    },
  });

  expect((await api.request('POST', 'campaigns', { headers: api.asServer, body })).status).toBe(
    503,
  );
});

test('one without free memory, before its body is read', async () => {
  await using api = await startTestApi({
    admission: createAdmission({ path: 'push', bytesMax: 5, requestsMax: 10 }),
  });

  const { status, headers } = await api.request('POST', 'campaigns', {
    headers: api.asServer,
    body: '{"broken',
  });

  expect([status, headers.get('retry-after')]).toEqual([503, expect.stringMatching(/^[1-5]$/)]);
});
