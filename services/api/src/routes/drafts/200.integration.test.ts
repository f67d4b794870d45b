import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { LIMITS } from '@tidings/contracts/limits';
import type { PushAccepted } from '@tidings/contracts/push/campaigns';
import { configureChannel, expandAll, registerUsers } from '@tidings/testing';
import { deleteUser } from '@tidings/user-data/delete-user';
import { writeSegment } from '@tidings/segments/segments';
import { writeTemplate } from '@tidings/templates/templates';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { db, tenant, asServer: headers } = api;
const { applicationId } = tenant;

type Draft = {
  readonly draftId: string;
  readonly version: number;
  readonly content: Readonly<Record<string, unknown>>;
  readonly updatedBy: string;
};
const call = <T = Draft>(method: string, path: string, body?: unknown, as = api.asAdmin) =>
  api.request<T>(method, path, { headers: as, ...(body !== undefined && { body }) });
const create = async (content: object) => (await call('POST', 'drafts', { content })).body;
const write = (draftId: string, content: unknown, expectedVersion: number, as = api.asAdmin) =>
  call('PUT', `drafts/${draftId}`, { content, expectedVersion }, as);
const PUSH = { recipients: ['ada'], channel: 'EMAIL', message: { title: 'Hi', body: 'Hi' } };
const send = (draft: Pick<Draft, 'draftId' | 'version'>, body: object = PUSH, more = {}) =>
  api.request<PushAccepted>(
    'POST',
    `campaigns?draftId=${draft.draftId}&draftVersion=${draft.version}`,
    { headers: { ...headers, ...more }, body },
  );
const copyOf = async (campaignId: string) => (await call('POST', 'drafts', { campaignId })).body;
const accept = async (push: object): Promise<string> =>
  (await call<PushAccepted>('POST', 'campaigns', push)).body.campaignId;

beforeAll(async () => {
  await registerUsers(db, applicationId, {
    ada: { email: 'ada@example.org' },
    eve: { email: 'eve@example.org' },
  });
  await configureChannel(db, applicationId, 'EMAIL');
});

describe('a draft', () => {
  test('may lack anything, and is kept as it is written', async () => {
    const content = {
      segment: '',
      recipients: 5,
      message: { title: null, customContent: { deep: [{ a: 12_345 }] } },
      anything: 'שלום',
    };

    const { draftId, version } = await create(content);

    expect(version).toBe(1);
    expect((await call('GET', `drafts/${draftId}`, undefined, headers)).body).toMatchObject({
      draftId,
      content,
      version: 1,
    });
    expect((await write(draftId, {}, 1)).body).toMatchObject({ content: {}, version: 2 });
  });

  test('of a second editor is refused with its version, who wrote it and when; nothing is overwritten', async () => {
    const { draftId } = await create({ name: 'First' });
    const [grace, bob] = [await api.signIn('marketer'), await api.signIn('owner')];
    await write(draftId, { name: 'Of Grace' }, 1, grace.headers);

    const refused = await write(draftId, { name: 'Of Bob' }, 1, bob.headers);

    const { body: stored } = await call('GET', `drafts/${draftId}`);
    expect(refused.status).toBe(409);
    expect(refused.problem.code).toBe('conflict');
    expect(refused.problem.detail).toContain('version 2');
    expect(refused.problem.detail).toContain(stored.updatedBy);
    expect(stored).toMatchObject({ content: { name: 'Of Grace' }, version: 2 });
    expect(stored.updatedBy).toMatch(/^member:/);
  });

  test('is listed with what it has, the last changed first', async () => {
    const first = await create({
      name: 'Black Friday',
      tags: ['sale', 5],
      channel: 'EMAIL',
      segment: 'loyal',
      message: { title: 'T'.repeat(500) },
    });
    const second = await create({
      name: 5,
      tags: 'none',
      recipients: ['ada', 'eve'],
      segment: { condition: {} },
      message: { body: 'Text' },
    });
    await write(first.draftId, { ...first.content, purpose: 'marketing' }, 1);

    const { body } = await call<{ items: Record<string, unknown>[]; nextCursor: string | null }>(
      'GET',
      'drafts?limit=2',
    );

    expect(body.nextCursor).not.toBeNull();
    expect(body.items).toMatchObject([
      {
        draftId: first.draftId,
        version: 2,
        name: 'Black Friday',
        tags: ['sale'],
        channel: 'EMAIL',
        title: 'T'.repeat(200),
        segment: 'loyal',
        recipients: null,
      },
      {
        draftId: second.draftId,
        name: null,
        tags: [],
        channel: null,
        title: 'Text',
        segment: null,
        recipients: 2,
      },
    ]);
    expect(body.items[0]).not.toHaveProperty('content');
  });

  test('is deleted once', async () => {
    const { draftId } = await create({});

    expect((await call('DELETE', `drafts/${draftId}`)).status).toBe(204);
    expect((await call('DELETE', `drafts/${draftId}`)).status).toBe(404);
    expect((await call('GET', `drafts/${draftId}`)).status).toBe(404);
    expect((await write(draftId, {}, 1)).status).toBe(404);
  });

  test('beyond the maximum is refused with the oldest', async () => {
    const other = await startTestApi();
    await other.db.sql.query(
      `insert into campaign_drafts (id, application_id, content, created_by, updated_by, updated_at)
       select uuidv7(), $1, '{}', 'ada', 'ada', now() - n * interval '1 hour' from generate_series(1, $2::int) n`,
      [other.tenant.applicationId, LIMITS.draftsMax],
    );
    const { body: page } = await other.request<{ items: { draftId: string }[] }>(
      'GET',
      `drafts?limit=${LIMITS.draftsMax}`,
      { headers: other.asAdmin },
    );

    const { status, problem } = await other.request('POST', 'drafts', {
      headers: other.asAdmin,
      body: { content: {} },
    });

    expect([status, problem.code]).toEqual([409, 'conflict']);
    expect(problem.detail).toContain(page.items.at(-1)?.draftId);
    await other[Symbol.asyncDispose]();
  });

  test.each<[string, object, object]>([
    ['no object', { content: [] }, { pointer: '/content', code: 'wrong_type' }],
    ['U+0000', { content: { a: ['\0'] } }, { pointer: '/content/a/0', code: 'nul_not_allowed' }],
    ['half a sign', { content: { a: '\ud800' } }, { pointer: '/content/a', code: 'invalid_value' }],
    [
      'more than 256 KiB',
      { content: { a: 'x'.repeat(LIMITS.draftBytesMax) } },
      { pointer: '/content', code: 'too_long' },
    ],
    [
      'too many levels',
      { content: JSON.parse(`${'{"a":'.repeat(30)}1${'}'.repeat(30)}`) as object },
      { code: 'too_deep' },
    ],
    ['neither content nor campaign', {}, { code: 'exactly_one_of' }],
  ])('of %s is refused', async (_what, body, error) => {
    expect(await call('POST', 'drafts', body)).toMatchObject({
      status: 400,
      body: { errors: [error] },
    });
  });

  test('is in the audit log by its id, without its content', async () => {
    const { draftId } = await create({ name: 'Secret' });
    await write(draftId, { name: 'Secret too' }, 1);
    await call('DELETE', `drafts/${draftId}`);

    const { body } = await call<{ items: Record<string, unknown>[] }>(
      'GET',
      `audit?application=${applicationId}&limit=3`,
    );

    expect(body.items).toMatchObject([
      { action: 'DELETE drafts/:draftId', target: { draftId } },
      {
        action: 'PUT drafts/:draftId',
        target: { draftId },
        detail: { expectedVersion: 1, fields: ['content'] },
      },
      { action: 'POST drafts', target: { draftId }, detail: { fields: ['content'] } },
    ]);
    expect(JSON.stringify(body.items)).not.toContain('Secret');
  });
});

describe('sending a draft', () => {
  test('deletes it with the campaign, and once', async () => {
    const draft = await create(PUSH);

    const [first, second] = await Promise.all([send(draft), send(draft)]);

    expect([first.status, second.status].toSorted()).toEqual([200, 409]);
    expect((await call('GET', `drafts/${draft.draftId}`)).status).toBe(404);
    const { rows } = await db.sql.query<{ count: number }>(
      'select count(*)::int as count from campaigns where application_id = $1 and request_id = any($2)',
      [
        applicationId,
        [first, second].map(({ body, problem }) => body.requestId ?? problem.requestId),
      ],
    );
    expect(rows[0]?.count).toBe(1);
    expect(api.announced).toContain((first.status === 200 ? first : second).body.campaignId);
  });

  test('a repeated request gets its first answer, though the draft is gone', async () => {
    const draft = await create(PUSH);
    const key = { 'Idempotency-Key': 'draft' };

    const first = await send(draft, PUSH, key);
    const again = await send(draft, PUSH, key);

    expect([first.status, again.status]).toEqual([200, 200]);
    expect(again.body.campaignId).toBe(first.body.campaignId);
  });

  test('of another version sends nothing, and keeps no Idempotency-Key', async () => {
    const draft = await create(PUSH);
    const changed = (await write(draft.draftId, { ...PUSH, name: 'Changed' }, 1)).body;
    const key = { 'Idempotency-Key': 'draft of another version' };

    expect((await send(draft, PUSH, key)).status).toBe(409);
    expect((await call('GET', `drafts/${draft.draftId}`)).body).toMatchObject({ version: 2 });
    expect((await send(changed, PUSH, key)).status).toBe(200);
  });

  test.each([
    ['a dry run', { ...PUSH, dryRun: true }, 200],
    ['a push with a fault', { ...PUSH, recipients: [] }, 400],
  ])('%s leaves it', async (_what, body, status) => {
    const draft = await create(PUSH);

    expect((await send(draft, body)).status).toBe(status);
    expect((await call('GET', `drafts/${draft.draftId}`)).status).toBe(200);
  });

  test('of another application is refused', async () => {
    const other = await startTestApi();
    const { body: theirs } = await other.request<Draft>('POST', 'drafts', {
      headers: other.asAdmin,
      body: { content: PUSH },
    });

    expect((await send(theirs)).status).toBe(409);
    expect(
      (await other.request('GET', `drafts/${theirs.draftId}`, { headers: other.asAdmin })).status,
    ).toBe(200);
    await other[Symbol.asyncDispose]();
  });

  test.each([
    ['draftId=5', '/draftId'],
    ['draftId=01a1fda0-9b20-7d1e-9a33-51d0aa0e7c01', '/draftVersion'],
    ['draftVersion=1', '/draftId'],
    ['draft=1', '/draft'],
  ])('by the query %s is refused', async (query, pointer) => {
    const answer = await api.request('POST', `campaigns?${query}`, { headers, body: PUSH });

    expect(answer).toMatchObject({ status: 400, body: { errors: [{ pointer }] } });
  });
});

describe('a draft of a campaign', () => {
  test('says what the campaign said, to those who are registered, but not when', async () => {
    const push = { ...PUSH, recipients: ['ada', 'eve', 'no such'], name: 'Sent', tags: ['a'] };
    const campaignId = await accept({
      ...push,
      purpose: 'marketing',
      sendAt: Date.now() + 86_400_000,
    });

    expect((await copyOf(campaignId)).content).toEqual({
      name: 'Sent',
      tags: ['a'],
      channel: 'EMAIL',
      purpose: 'marketing',
      message: PUSH.message,
      recipients: ['ada', 'eve'],
    });
  });

  test('has the recipients of one that was expanded, without a user who was deleted since', async () => {
    await registerUsers(db, applicationId, { leaving: { email: 'leaving@example.org' } });
    const campaignId = await accept({ ...PUSH, recipients: ['ada', 'leaving'] });
    await expandAll(db, campaignId);
    await deleteUser(db, { applicationId, customUserId: 'leaving', clock: api.deps.clock });

    expect((await copyOf(campaignId)).content).toMatchObject({ recipients: ['ada'] });
  });

  test('names its templates with their versions, and its segment', async () => {
    await writeSegment(db, {
      applicationId,
      slug: 'loyal',
      name: 'Loyal',
      condition: { field: 'country', is: 'DE' },
      by: 'test',
    });
    for (const slug of ['one', 'two'])
      await writeTemplate(db, {
        applicationId,
        slug,
        name: slug,
        channel: 'EMAIL',
        message: { title: 'Hi', body: 'Hi' },
        by: 'test',
      });
    const { message: _message, recipients: _recipients, ...rest } = PUSH;
    const to = {
      segment: { condition: { field: 'country', is: 'FR' } },
      exclude: 'loyal',
      recheck: true,
    };
    const split = [
      { template: 'one@1', share: 2 },
      { template: 'two@1', share: 1 },
    ];

    const copies = [
      await copyOf(await accept({ ...rest, segment: 'loyal', template: 'one' })),
      await copyOf(await accept({ ...rest, ...to, split })),
      await copyOf(
        await accept({ ...PUSH, personalize: true, message: { body: 'Hi {{ user.city }}' } }),
      ),
    ];

    expect(copies.map(({ content }) => content)).toMatchObject([
      { segment: 'loyal', template: 'one@1' },
      { ...to, split },
      { message: { body: 'Hi {{ user.city }}' }, personalize: true, recipients: ['ada'] },
    ]);
    expect(copies[0]?.content).not.toHaveProperty('message');
  });

  test('of another application is not found', async () => {
    const other = await startTestApi();
    const campaignId = await accept(PUSH);

    const { status } = await other.request('POST', 'drafts', {
      headers: other.asAdmin,
      body: { campaignId },
    });

    expect(status).toBe(404);
    await other[Symbol.asyncDispose]();
  });
});
