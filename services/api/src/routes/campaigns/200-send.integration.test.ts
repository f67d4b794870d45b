import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { DryRunAnswer, PushAccepted } from '@tidings/contracts/push/campaigns';
import { updateApplication } from '@tidings/people/update-application';
import { configureChannel, configureEmail, registerUsers, someIds } from '@tidings/testing';
import { startTestApi, type Headers } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { db, tenant } = api;
const marketer = await api.signIn('marketer');
const [ada, grace, alan] = someIds(3) as [string, string, string];
const push = {
  recipients: [ada, grace, ada],
  channel: 'SMS',
  message: { body: 'Hi', title: 'of another channel' },
  purpose: 'marketing',
};

beforeAll(async () => {
  await registerUsers(db, tenant.applicationId, {
    [ada]: { phoneNumber: '+447700900001', phoneE164: '+447700900001' },
    [grace]: { email: 'grace@example.org' },
  });
  await configureChannel(db, tenant.applicationId, 'SMS');
});

const post = <T>(headers: Headers, body: unknown = push) =>
  api.request<T>('POST', 'campaigns', { headers, body });

async function storedCampaigns(): Promise<number> {
  const { rows } = await db.sql.query<{ n: number }>(
    'select count(*)::int as n from campaigns where application_id = $1',
    [tenant.applicationId],
  );
  return rows[0]?.n ?? 0;
}

describe('a campaign', () => {
  test.each([
    ['a Server key', api.asServer, 'key:server key'],
    ['an administrator token', api.asAdmin, 'token:test'],
    ['a session', marketer.headers, `member:${marketer.member.email}`],
  ])(
    'by %s is stored, readable and queued, with the response of POST /push',
    async (_who, headers, createdBy) => {
      const { status, body, headers: answered } = await post<PushAccepted>(headers);

      const { campaignId } = body;
      expect(status).toBe(200);
      expect(body).toEqual({
        campaignId: expect.any(String),
        status: 'queued',
        channel: 'SMS',
        recipients: { requested: 3, unique: 2 },
        createdAt: expect.any(Number),
        requestId: answered.get('x-request-id'),
        warnings: [
          { code: 'unsupported_field', pointer: '/message/title', detail: expect.any(String) },
        ],
      });
      expect([answered.get('location'), answered.get('idempotent-replay')]).toEqual([
        `/api/v1/campaigns/${campaignId}`,
        null,
      ]);
      expect((await api.request('GET', `campaigns/${campaignId}`, { headers })).body).toMatchObject(
        {
          campaignId,
          status: 'queued',
          source: 'dashboard',
          purpose: 'marketing',
          message: { body: 'Hi' },
          recipients: { requested: 3, unique: 2 },
          createdBy,
          requestId: body.requestId,
        },
      );
      expect(api.announced).toContain(campaignId);
    },
  );

  test('to a hundred thousand recipients is accepted', async () => {
    const recipients = Array.from({ length: 100_000 }, (_, index) => `${index}`.padStart(60, 'x'));

    const { status, body } = await post(marketer.headers, { ...push, recipients });

    expect(status).toBe(200);
    expect(body).toMatchObject({ recipients: { requested: 100_000, unique: 100_000 } });
  }, 60_000);

  test('keeps every digit of integers in the message', async () => {
    const { body } = await post<PushAccepted>(
      marketer.headers,
      '{"recipients":["u"],"channel":"APP_PUSH","message":{"body":"b","customContent":{"id":9007199254740993}}}',
    );

    expect(
      (
        await api.request('GET', `campaigns/${body.campaignId}`, {
          headers: marketer.headers,
        })
      ).text,
    ).toContain('"id":9007199254740993');
  });

  test('by a session is in the audit log, without recipients and message', async () => {
    const owner = await api.signIn('owner');
    const { body } = await post<PushAccepted>(owner.headers);
    await post(owner.headers, { ...push, dryRun: true });

    const { rows } = await db.sql.query(
      'select actor, action, status, target, detail from audit_entries where member_id = $1',
      [owner.member.id],
    );

    expect(rows).toEqual([
      {
        actor: `member:${owner.member.email}`,
        action: 'POST campaigns',
        status: 200,
        target: { campaignId: body.campaignId },
        detail: { channel: 'SMS', purpose: 'marketing', fields: ['recipients', 'message'] },
      },
    ]);
  });
});

test('a campaign by a template has its name in the audit log', async () => {
  const owner = await api.signIn('owner');
  const template = { name: 'T', channel: 'SMS', message: { body: 'x' } };
  await api.request('PUT', 'templates/audited', { headers: owner.headers, body: template });

  const { status } = await api.request('POST', 'campaigns', {
    headers: owner.headers,
    body: { recipients: ['u'], channel: 'SMS', template: 'audited' },
  });

  const { rows } = await db.sql.query<{ detail: { fields: string[] } }>(
    `select detail from audit_entries where member_id = $1 and action = 'POST campaigns'`,
    [owner.member.id],
  );
  expect([status, rows[0]?.detail.fields]).toEqual([200, ['recipients', 'template']]);
});

describe('an Idempotency-Key', () => {
  test('of concurrent copies creates one campaign and equal responses, for all kinds of callers', async () => {
    const before = await storedCampaigns();
    const key = { 'Idempotency-Key': 'parallel' };

    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        post<PushAccepted>({
          ...(index % 2 === 0 ? marketer.headers : api.asServer),
          ...key,
        }),
      ),
    );

    expect(
      new Set(
        answers.map(({ status, text, headers }) => `${status} ${headers.get('location')} ${text}`),
      ).size,
    ).toBe(1);
    expect(
      answers.filter(({ headers }) => headers.get('idempotent-replay') === 'true'),
    ).toHaveLength(19);
    expect(await storedCampaigns()).toBe(before + 1);
    expect(api.announced.filter((id) => id === answers[0]?.body.campaignId)).toHaveLength(1);
  });

  test('is not used up by a dry run', async () => {
    const headers = { ...marketer.headers, 'Idempotency-Key': 'dry' };

    await post(headers, { ...push, dryRun: true });

    expect((await post(headers)).status).toBe(200);
  });
});

describe('a dry run', () => {
  test('returns who would be reached and why others would not, and sends and stores nothing', async () => {
    const before = await storedCampaigns();
    const announced = api.announced.length;

    const { status, body, headers } = await post<DryRunAnswer>(marketer.headers, {
      ...push,
      recipients: [ada, grace, alan, ada],
      dryRun: true,
    });

    expect(status).toBe(200);
    expect(body).toEqual({
      dryRun: true,
      channel: 'SMS',
      recipients: { requested: 4, unique: 3 },
      reachable: 1,
      unreachable: { no_address: 1, unknown_user: 1 },
      results: [
        { customUserId: ada, reachable: true, number: '+447700900001' },
        { customUserId: grace, reachable: false, reason: 'no_address' },
        { customUserId: alan, reachable: false, reason: 'unknown_user' },
      ],
      warnings: [
        { code: 'unsupported_field', pointer: '/message/title', detail: expect.any(String) },
      ],
    });
    expect(headers.get('location')).toBeNull();
    expect([await storedCampaigns(), api.announced.length]).toEqual([before, announced]);
  });

  test('warns about an unknown placeholder', async () => {
    const { body } = await post<DryRunAnswer>(marketer.headers, {
      recipients: [ada],
      channel: 'SMS',
      message: { body: 'Hello {{firstName}}' },
      dryRun: true,
    });

    expect(body.warnings).toEqual([
      { code: 'unknown_placeholder', pointer: '/message/body', detail: expect.any(String) },
    ]);
  });

  test('warns about an untested channel, where the application allows it', async () => {
    await configureEmail(db, tenant.applicationId);
    await updateApplication(db, tenant.applicationId, { settings: { sendUntested: true } });

    const { body } = await post<DryRunAnswer>(marketer.headers, {
      recipients: [grace],
      channel: 'EMAIL',
      message: { body: 'Hi' },
      dryRun: true,
    });

    expect(body).toMatchObject({
      reachable: 1,
      warnings: [{ code: 'channel_untested', pointer: '/channel' }],
    });
  });
});
