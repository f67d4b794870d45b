import { afterAll, describe, expect, test } from '@jest/globals';
import type { BusRecord } from '@tidings/bus';
import type { DeadLetterRecord } from '@tidings/contracts/ingest/dead-letters';
import { TOPICS } from '@tidings/contracts/topics';
import { failReplay } from '@tidings/events/dead-letters';
import { systemIds } from '@tidings/platform';
import { eventually } from '@tidings/testing';
import { createDeadLetter } from '../../testing/dead-letter.ts';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
const read: BusRecord[] = [];
const reader = await api.bus.consume({
  group: 'test',
  topics: [TOPICS.ingest],
  handleBatch: async ({ records }) => void read.push(...records),
});
afterAll(async () => {
  await reader.stop();
  await api[Symbol.asyncDispose]();
});
const { db, tenant, other, asAdmin: headers } = api;

type Page = { readonly items: DeadLetterRecord[]; readonly nextCursor: string | null };

describe('GET dead-letters', () => {
  test('lists the application’s and unassigned dead letters, newest first, page by page, without their records', async () => {
    const nobodys = await createDeadLetter(db, {
      applicationId: null,
      requestId: null,
      errorClass: 'unreadable',
      sqlState: null,
    });
    const own = [await createDeadLetter(db, tenant), await createDeadLetter(db, tenant)];
    const others = await createDeadLetter(db, other);

    const pages: Page[] = [];
    for (
      let cursor = '';
      pages.length === 0 || cursor !== '';
      cursor = pages.at(-1)?.nextCursor ?? ''
    ) {
      const { status, body, text } = await api.request<Page>(
        'GET',
        `dead-letters?limit=2&cursor=${cursor}`,
        { headers },
      );
      expect(status).toBe(200);
      expect(text).not.toContain('some');
      pages.push(body);
    }

    // Unassigned dead letters are shared with other tests. Those of the same millisecond are
    // ordered by id.
    const all = pages.flatMap(({ items }) => items);
    expect(all.map(({ id }) => id).filter((id) => [...own, nobodys, others].includes(id))).toEqual(
      [...own, nobodys].toSorted().toReversed(),
    );
    expect(all.map(({ id }) => id)).toEqual(
      all
        .map(({ id }) => id)
        .toSorted()
        .toReversed(),
    );
    expect(all.find(({ id }) => id === own[1])).toEqual({
      id: own[1],
      consumer: 'events',
      requestId: own[1],
      topic: TOPICS.ingest,
      partition: 2,
      offset: expect.any(Number),
      errorClass: 'data',
      sqlState: '22P05',
      status: 'waiting',
      replays: 0,
      createdAt: expect.any(Number),
      updatedAt: expect.any(Number),
      size: 16,
    });
    expect(all.find(({ id }) => id === nobodys)).toMatchObject({
      requestId: null,
      errorClass: 'unreadable',
      sqlState: null,
    });
  });

  test('of one status', async () => {
    const id = await createDeadLetter(db, tenant);
    await api.request('POST', `dead-letters/${id}/discard`, { headers });

    const { body } = await api.request<Page>('GET', 'dead-letters?status=discarded', {
      headers,
    });

    expect(body.items.map((letter) => [letter.id, letter.status])).toEqual([[id, 'discarded']]);
  });
});

describe('GET dead-letters/{id}', () => {
  test.each([
    ['text', Buffer.from('{"name":"Zoë \0"}'), 'utf8', '{"name":"Zoë \0"}'],
    ['base64', Buffer.from([0xff, 0x00, 0x7b]), 'base64', '/wB7'],
    ['nothing', Buffer.alloc(0), 'utf8', ''],
  ])('returns the record as %s', async (_, value, encoding, shown) => {
    const id = await createDeadLetter(db, { ...tenant, value });

    const { status, body } = await api.request('GET', `dead-letters/${id}`, { headers });

    expect(status).toBe(200);
    expect(body).toMatchObject({ id, encoding, value: shown, size: value.length });
  });
});

describe('POST dead-letters/{id}/replay', () => {
  test('produces the original record, with headers for the dead letter and consumer', async () => {
    const id = await createDeadLetter(db, { ...tenant, key: Buffer.from([0xff, 0x01]) });

    const { status, body } = await api.request('POST', `dead-letters/${id}/replay`, {
      headers,
    });

    expect(status).toBe(200);
    expect(body).toMatchObject({ id, status: 'replaying', replays: 0 });
    const record = await eventually(() => {
      const found = read.find((candidate) => candidate.headers['replay-of'] === id);
      if (found === undefined) throw new Error('not there yet');
      return found;
    });
    expect(record.key).toEqual(Buffer.from([0xff, 0x01]));
    expect(record.value.toString()).toBe('{"some":"bytes"}');
    expect(record.headers).toEqual({
      'request-id': id,
      slash: '\\0 and \0',
      'replay-of': id,
      'replay-for': 'events',
    });
  });

  test('without a key, of an unassigned dead letter', async () => {
    const id = await createDeadLetter(db, { applicationId: null, key: null });

    const { status } = await api.request('POST', `dead-letters/${id}/replay`, { headers });

    expect(status).toBe(200);
    await eventually(() =>
      expect(read.find((record) => record.headers['replay-of'] === id)?.key).toBeNull(),
    );
  });

  test('again while it is replaying, and after it failed again', async () => {
    const id = await createDeadLetter(db, tenant);
    const ask = async () =>
      (await api.request('POST', `dead-letters/${id}/replay`, { headers })).body;

    expect(await ask()).toMatchObject({ status: 'replaying', replays: 0 });
    expect(await ask()).toMatchObject({ status: 'replaying', replays: 0 });
    await failReplay(
      db.sql,
      { deadLetterId: id, consumer: 'events' },
      { errorClass: 'data', sqlState: '22003' },
    );

    expect(await ask()).toMatchObject({ status: 'replaying', replays: 1, sqlState: '22003' });
    await eventually(() =>
      expect(read.filter((record) => record.headers['replay-of'] === id)).toHaveLength(3),
    );
  });

  test('of another consumer', async () => {
    const id = await createDeadLetter(db, { ...tenant, consumer: 'users' });

    await api.request('POST', `dead-letters/${id}/replay`, { headers });

    await eventually(() =>
      expect(read.find((record) => record.headers['replay-of'] === id)?.headers['replay-for']).toBe(
        'users',
      ),
    );
  });
});

test('POST dead-letters/{id}/discard deletes the record and keeps the entry', async () => {
  const id = await createDeadLetter(db, tenant);

  const { status, body } = await api.request('POST', `dead-letters/${id}/discard`, {
    headers,
  });

  expect(status).toBe(200);
  expect(body).toMatchObject({ id, status: 'discarded', size: 0 });
  expect((await api.request('GET', `dead-letters/${id}`, { headers })).body).toMatchObject({
    id,
    status: 'discarded',
    value: null,
  });
  const { rows } = await db.sql.query(
    'select record_key, value, headers from dead_letters where id = $1',
    [id],
  );
  expect(rows).toEqual([{ record_key: null, value: null, headers: {} }]);
});

test('the cursor of a deleted dead letter is still valid', async () => {
  expect(
    (await api.request('GET', `dead-letters?cursor=${systemIds.uuid()}`, { headers })).status,
  ).toBe(200);
});
