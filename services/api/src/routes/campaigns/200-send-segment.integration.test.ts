import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { SegmentPushAccepted } from '@tidings/contracts/push/campaigns';
import { archiveSegment, writeSegment } from '@tidings/segments/segments';
import { configureChannel, registerUsers } from '@tidings/testing';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { db, tenant, asServer: headers } = api;
const { applicationId } = tenant;
const german = { field: 'country', is: 'DE' } as const;
const push = { channel: 'EMAIL', message: { title: 'Hi', body: 'Hi' } };

const write = (slug: string, condition: object) =>
  writeSegment(db, { applicationId, slug, name: slug, condition, by: 'test' });
const post = <T = SegmentPushAccepted>(body: object, more: Record<string, string> = {}) =>
  api.request<T>('POST', 'campaigns', { headers: { ...headers, ...more }, body });
const read = async (campaignId: string) =>
  (await api.request('GET', `campaigns/${campaignId}`, { headers })).body;

beforeAll(async () => {
  await registerUsers(db, applicationId, {
    ada: { country: 'DE', email: 'ada@example.org' },
    bob: { country: 'DE' },
    carl: { country: 'FR', email: 'carl@example.org' },
  });
  await configureChannel(db, applicationId, 'EMAIL');
  await write('german', german);
  await write('carl', { field: 'email', is: 'carl@example.org' });
});

describe('a campaign to a segment', () => {
  test('is accepted with an estimate, and its report says whom it is for', async () => {
    const { status, body } = await post({
      ...push,
      segment: 'german',
      exclude: 'carl',
      recheck: true,
    });

    expect(status).toBe(200);
    expect(body).toEqual({
      campaignId: expect.any(String),
      status: 'queued',
      channel: 'EMAIL',
      createdAt: expect.any(Number),
      requestId: expect.any(String),
      warnings: [],
      recipients: { segment: 'german', estimated: 2 },
    });
    expect(api.announced).toContain(body.campaignId);
    expect(await read(body.campaignId)).toMatchObject({
      status: 'queued',
      recipients: { requested: 0, unique: 0 },
      audience: {
        segment: 'german',
        version: null,
        condition: null,
        exclude: { segment: 'carl', version: null, condition: null },
        recheck: true,
        snapshotAt: null,
        warnings: [],
      },
    });
  });

  test('may have a condition of its own, with its warnings', async () => {
    await db.sql.query('update applications set settings = $2 where id = $1', [
      applicationId,
      JSON.stringify({ eventRetentionDays: 30 }),
    ]);
    await db.sql.query(
      `insert into definitions (application_id, slug, kind, name, origin) values ($1, 'click', 'action', 'click', 'auto')`,
      [applicationId],
    );
    const sent = { message: { channel: 'EMAIL' }, was: 'sent', within: '91d' };
    const condition = { all: [german, { not: { event: 'click', within: '90d' } }, { not: sent }] };

    const { body } = await post({ ...push, segment: { condition: { version: 1, ...condition } } });

    expect(body).toMatchObject({
      recipients: { segment: null, estimated: 2 },
      warnings: [
        { code: 'beyond_retention', pointer: '/segment/condition/all/1/not/within' },
        { code: 'beyond_retention', pointer: '/segment/condition/all/2/not/within' },
      ],
    });
    expect(await read(body.campaignId)).toMatchObject({ audience: { segment: null, condition } });
  });

  test('repeated with its key has the first answer, though its segment is gone', async () => {
    await write('brief', german);
    const body = { ...push, segment: 'brief' };
    const key = { 'Idempotency-Key': 'brief' };

    const first = await post(body, key);
    await db.sql.query("update campaigns set status = 'canceled' where id = $1", [
      first.body.campaignId,
    ]);
    expect(await archiveSegment(db, { applicationId, slug: 'brief', by: 'test' })).toBe('archived');
    const second = await post(body, key);

    expect(second.body).toEqual(first.body);
    expect(second.headers.get('Idempotent-Replay')).toBe('true');
    expect((await post({ ...body, segment: 'german' }, key)).status).toBe(409);
  });

  test('keeps its segment from being deleted until its users are read', async () => {
    await write('named', german);
    const { body } = await post({ ...push, segment: 'german', exclude: 'named' });

    const { status, problem } = await api.request('DELETE', 'segments/named', {
      headers: api.asAdmin,
    });

    expect(status).toBe(409);
    expect(problem.detail).toContain(body.campaignId);
  });
});

describe('a dry run', () => {
  test('counts members and those whom the channel reaches, and stores nothing', async () => {
    const { body } = await post<object>({ ...push, segment: 'german', dryRun: true });

    expect(body).toEqual({
      dryRun: true,
      channel: 'EMAIL',
      recipients: { segment: 'german', count: 2 },
      reachable: 1,
      warnings: [],
    });
  });

  test('counts the members who lack each variable of a personal message', async () => {
    const title =
      'Hi {{ user.email }} {{ user.customAttributes.plan }} {{ user.city | default: "" }}';
    const { body } = await post<object>({
      channel: 'EMAIL',
      personalize: true,
      message: { title, body: '{{ user.customUserId }}, {{ user.registeredAt }}' },
      segment: 'german',
      dryRun: true,
    });

    expect(body).toMatchObject({
      recipients: { count: 2 },
      reachable: 1,
      unrenderable: {
        'user.email': 1,
        'user.customAttributes.plan': 2,
        'user.customUserId': 0,
        'user.registeredAt': 0,
      },
    });
  });

  test('knows exclusion and purpose', async () => {
    await db.sql.query(
      `insert into suppressions (application_id, channel, address, reason) values ($1, 'EMAIL', 'carl@example.org', 'unsubscribed')`,
      [applicationId],
    );
    const everybody = { condition: { field: 'country', exists: true } };
    const reach = async (fields: object) =>
      (await post<object>({ ...push, segment: everybody, dryRun: true, ...fields })).body;

    expect(await reach({})).toMatchObject({ recipients: { count: 3 }, reachable: 2 });
    expect(await reach({ purpose: 'marketing' })).toMatchObject({ reachable: 1 });
    expect(await reach({ exclude: 'carl' })).toMatchObject({
      recipients: { segment: null, count: 2 },
      reachable: 1,
    });
  });
});
