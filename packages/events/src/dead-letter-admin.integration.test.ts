import { afterAll, expect, test } from '@jest/globals';
import { systemIds } from '@tidings/platform';
import { connectTestDatabase, createTestApplication } from '@tidings/testing';
import {
  requestReplay,
  discardDeadLetter,
  listDeadLetters,
  readDeadLetter,
} from './dead-letter-admin.ts';
import { insertDeadLetter } from './dead-letters.ts';

const db = connectTestDatabase();
afterAll(() => db.close());

async function leaveLetter(applicationId: string | null): Promise<string> {
  const id = systemIds.uuid();
  await insertDeadLetter(db.sql, {
    id,
    consumer: 'users',
    applicationId,
    requestId: null,
    topic: `of ${id}`,
    partition: 0,
    offset: 0n,
    key: null,
    value: Buffer.from('{}'),
    headers: {},
    errorClass: 'unreadable',
    sqlState: null,
  });
  return id;
}

test('an application’s administrator sees its dead letters, but neither those of another application nor unassigned ones', async () => {
  const [own, other] = [await createTestApplication(db), await createTestApplication(db)];
  const letters = {
    own: await leaveLetter(own.applicationId),
    others: await leaveLetter(other.applicationId),
    nobodys: await leaveLetter(null),
  };

  const listed = await listDeadLetters(db, own, { limit: 500 });

  expect(listed.map(({ id }) => id)).toEqual([letters.own]);
  for (const id of [letters.others, letters.nobodys]) {
    for (const use of [readDeadLetter, requestReplay, discardDeadLetter])
      expect(await use(db, own, id)).toBeNull();
  }
  expect(await readDeadLetter(db, own, letters.own)).toMatchObject({
    id: letters.own,
    status: 'waiting',
  });
});

test('an installation administrator also sees unassigned ones, but those of another application only under its own name', async () => {
  const [own, other] = [await createTestApplication(db), await createTestApplication(db)];
  const [others, nobodys] = [await leaveLetter(other.applicationId), await leaveLetter(null)];
  const sight = { includesUnassigned: true };

  const listed = (await listDeadLetters(db, { ...own, ...sight }, { limit: 500 })).map(
    ({ id }) => id,
  );

  expect(listed).toContain(nobodys);
  expect(listed).not.toContain(others);
  expect(await readDeadLetter(db, { ...own, ...sight }, others)).toBeNull();
  expect(await readDeadLetter(db, { ...own, ...sight }, nobodys)).toMatchObject({
    id: nobodys,
    status: 'waiting',
  });
});
