import { afterAll, describe, expect, test } from '@jest/globals';
import { LIMITS } from '@tidings/contracts/limits';
import { systemIds } from '@tidings/platform';
import { createOwnDatabase, createTestApplication, untilBlockedBy } from '@tidings/testing';
import {
  createDraft,
  listDrafts,
  purgeDrafts,
  readDraft,
  takeDraft,
  writeDraft,
} from './drafts.ts';

// Its own, because a purge works over the whole database.
const db = await createOwnDatabase();
afterAll(() => db.close());

async function draftOf(content: Readonly<Record<string, unknown>> = { name: 'First' }) {
  const { applicationId } = await createTestApplication(db);
  const draft = { applicationId, draftId: systemIds.uuid() };
  await createDraft(db, { ...draft, content, by: 'ada' });
  return draft;
}
const fill = (applicationId: string, count: number) =>
  db.sql.query(
    `insert into campaign_drafts (id, application_id, content, created_by, updated_by, updated_at)
     select uuidv7(), $1, '{}', 'ada', 'ada', now() - n * interval '1 hour' from generate_series(1, $2::int) n`,
    [applicationId, count],
  );

describe('two who write the same draft', () => {
  test('at once: one does, the other learns of it', async () => {
    const draft = await draftOf();
    const write = (by: string) =>
      writeDraft(db, { ...draft, content: { name: by }, expectedVersion: 1, by });

    const written = await Promise.all([write('eve'), write('bob')]);

    expect(written.map((each) => each?.isMoved).toSorted()).toEqual([false, true]);
    const [winner] = written.filter((each) => each?.isMoved === false);
    expect(await readDraft(db, draft)).toEqual(winner?.draft);
    expect(written.find((each) => each?.isMoved)?.draft).toEqual(winner?.draft);
  });

  test('the same are no conflict, whichever version they expected', async () => {
    const draft = await draftOf();
    const write = (expectedVersion: number) =>
      writeDraft(db, { ...draft, content: { name: 'Same', a: 1 }, expectedVersion, by: 'eve' });

    const first = await write(1);

    expect(first).toMatchObject({ isMoved: false, draft: { version: 2, updatedBy: 'eve' } });
    expect(await write(1)).toEqual(first);
    expect(await write(2)).toEqual(first);
  });
});

test('of all digits none is lost', async () => {
  const content = { message: { ttl: 12_345_678_901_234_567_890n } };

  expect(await readDraft(db, await draftOf(content))).toMatchObject({ content });
});

describe('the last place', () => {
  test('is given once, also to two at a time', async () => {
    const { applicationId } = await createTestApplication(db);
    await fill(applicationId, LIMITS.draftsMax - 1);
    const create = () =>
      createDraft(db, { applicationId, draftId: systemIds.uuid(), content: {}, by: 'ada' });

    const created = await Promise.all([create(), create(), create()]);

    expect(created.filter((each) => 'draft' in each)).toHaveLength(1);
    expect(await listDrafts(db, applicationId)).toHaveLength(LIMITS.draftsMax);
  });

  test('is refused with the drafts that were changed longest ago', async () => {
    const { applicationId } = await createTestApplication(db);
    await fill(applicationId, LIMITS.draftsMax);

    const refused = await createDraft(db, {
      applicationId,
      draftId: systemIds.uuid(),
      content: {},
      by: 'ada',
    });

    const listed = await listDrafts(db, applicationId);
    expect(refused).toEqual({
      oldest: listed
        .slice(-3)
        .toReversed()
        .map(({ draftId, updatedAt }) => ({ draftId, updatedAt })),
    });
  });
});

describe('a draft that is taken', () => {
  test('is gone once; a writer that waited finds none', async () => {
    const draft = await draftOf();

    const { writing } = await db.transaction(async (sql) => {
      expect(await takeDraft(sql, { ...draft, version: 1 })).toBe(true);
      const waiting = writeDraft(db, { ...draft, content: {}, expectedVersion: 1, by: 'eve' });
      await untilBlockedBy(db, sql);
      return { writing: waiting };
    });

    expect(await writing).toBeNull();
    expect(await takeDraft(db.sql, { ...draft, version: 1 })).toBe(false);
  });

  test('stays with another version, and for another application', async () => {
    const draft = await draftOf();
    const { applicationId } = await createTestApplication(db);

    expect(await takeDraft(db.sql, { ...draft, version: 2 })).toBe(false);
    expect(await takeDraft(db.sql, { ...draft, applicationId, version: 1 })).toBe(false);
    expect(await readDraft(db, draft)).not.toBeNull();
  });
});

test('a purge deletes what was not changed for so long, in bounded steps', async () => {
  const kept = await draftOf();
  const { applicationId } = await createTestApplication(db);
  await db.sql.query(
    `insert into campaign_drafts (id, application_id, content, created_at, created_by, updated_by, updated_at)
     select uuidv7(), $1, '{}', now() - interval '1 year', 'ada', 'ada', now() - n * interval '1 day' + interval '1 hour'
     from unnest(array[89, 90, 91, 92]) n`,
    [applicationId],
  );

  expect(await purgeDrafts(db, { days: 90, limit: 1 })).toBe(1);
  expect(await purgeDrafts(db, { days: 90, limit: 10 })).toBe(1);
  expect(await purgeDrafts(db, { days: 90, limit: 10 })).toBe(0);
  expect(await listDrafts(db, applicationId)).toHaveLength(2);
  expect(await readDraft(db, kept)).not.toBeNull();
});
