import { afterAll, expect, test } from '@jest/globals';
import { writeTemplate } from '@tidings/templates/templates';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  const { rows } = await api.db.sql.query('select 1 from campaigns where application_id = $1', [
    api.tenant.applicationId,
  ]);
  await api[Symbol.asyncDispose]();
  if (rows.length > 0) throw new Error('a refused campaign was stored');
});
const { headers } = await api.signIn('marketer');
await writeTemplate(api.db, {
  applicationId: api.tenant.applicationId,
  slug: 'automated',
  name: 'Automated',
  channel: 'SMS',
  message: { body: '{{ event.name }}' },
  by: 'test',
});
const push = { recipients: ['u1'], channel: 'SMS', message: { body: 'Hi' } };

test.each<[string, unknown, readonly string[]]>([
  ['no recipients', { ...push, recipients: [] }, ['/recipients empty']],
  ['a recipient that is no text', { ...push, recipients: ['u1', 5] }, ['/recipients/1 wrong_type']],
  [
    'no such channel, and a text that is empty',
    { ...push, channel: 'FAX', message: { body: '' } },
    ['/channel invalid_value', '/message/body empty'],
  ],
  [
    'a link that runs code',
    { ...push, channel: 'APP_PUSH', message: { body: 'Hi', url: 'javascript:alert(1)' } },
    ['/message/url invalid_value'],
  ],
  ['a purpose that is none', { ...push, purpose: 'fun' }, ['/purpose invalid_value']],
  [
    'a template of an automation',
    { recipients: ['u1'], channel: 'SMS', template: 'automated' },
    ['/template invalid_value'],
  ],
  [
    'a message of an automation',
    { ...push, message: { body: '{{ run.id }}' }, personalize: true },
    ['/message/body unknown_variable'],
  ],
  ['nothing', {}, ['/channel required', '/message required', '/recipients required']],
])('%s: every fault with its pointer, in a dry run too', async (_what, body, faults) => {
  for (const dryRun of [false, true]) {
    const { status, problem } = await api.request('POST', 'campaigns', {
      headers,
      body: { ...(body as object), dryRun },
    });

    expect([status, problem.code]).toEqual([400, 'validation_failed']);
    expect(
      (problem.errors ?? []).map(({ pointer, code }) => `${pointer} ${code}`).toSorted(),
    ).toEqual(faults);
  }
});

test('an Idempotency-Key that is too long is an error of the whole request', async () => {
  const { status, problem } = await api.request('POST', 'campaigns', {
    headers: { ...headers, 'Idempotency-Key': 'k'.repeat(129) },
    body: push,
  });

  expect([status, problem.errors]).toEqual([
    400,
    [expect.objectContaining({ pointer: '', code: 'too_long' })],
  ]);
});
