import { afterAll, describe, expect, test } from '@jest/globals';
import type { KeyType } from '@tidings/contracts/ingest/records';
import { systemIds } from '@tidings/platform';
import {
  actionMessage,
  connectTestDatabase,
  createTestApplication,
  ingestRecord,
  randomFrom,
  transactUntilDone,
  untilBlockedBy,
} from '@tidings/testing';
import { duplicateKey, messageIdText, userTimeText } from './decide-duplicates.ts';
import { claimMessageKeys, type KeyClaim } from './message-keys.ts';
import { claimAsPreviousVersion, storeBeforeMigration } from './testing/previous-version.ts';

// The previous version writes message_keys, and this one duplicate_keys, on one database.
const db = connectTestDatabase({ poolMax: 20 });
afterAll(() => db.close());

const VERSIONS = { previous: claimAsPreviousVersion, present: claimMessageKeys } as const;
type Version = keyof typeof VERSIONS;
const ORDERS = [
  ['previous', 'present'],
  ['present', 'previous'],
] as const satisfies readonly (readonly [Version, Version])[];

type Sent = {
  readonly id?: string;
  readonly time?: number | bigint;
  readonly user?: string | null;
  readonly keyType?: KeyType;
};

const [ada, eve] = [systemIds.uuid(), systemIds.uuid()];

async function newTenant() {
  const { applicationId } = await createTestApplication(db);
  const claimOf = ({ user = null, keyType = 'server', ...fields }: Sent): KeyClaim => ({
    record: ingestRecord({ applicationId, keyType, messages: [actionMessage(fields)] }),
    index: 0,
    serviceUserId: user,
  });
  return {
    applicationId,
    claimOf,
    claim: (version: Version, ...sent: readonly Sent[]) =>
      transactUntilDone(db, (sql) => VERSIONS[version](sql, sent.map(claimOf))),
    store: (options: { readonly holdsBoth?: boolean }, ...sent: readonly Sent[]) =>
      db.transaction((sql) => storeBeforeMigration(sql, sent.map(claimOf), options)),
  };
}

describe.each(ORDERS)('of what the %s version stored, the %s version', (first, second) => {
  test('stores no id twice, whichever type of key has it', async () => {
    const { claim } = await newTenant();
    expect(
      await claim(first, { id: 'a' }, { id: 'b', keyType: 'client' }, { id: 'c', user: ada }),
    ).toEqual([null, null, null]);

    expect(await claim(second, { id: 'a' }, { id: 'd' }, { id: 'c' })).toEqual([
      'duplicate_id',
      null,
      'duplicate_id',
    ]);
    expect(
      await claim(second, { id: 'b', keyType: 'client' }, { id: 'a', keyType: 'client' }),
    ).toEqual(['duplicate_id', null]);
  });

  test('stores no user and time twice', async () => {
    const { claim } = await newTenant();
    expect(await claim(first, { id: 'a', user: ada, time: 1 })).toEqual([null]);

    expect(
      await claim(
        second,
        { id: 'b', user: ada, time: 1 },
        { id: 'c', user: ada, time: 2 },
        { id: 'd', user: eve, time: 1 },
      ),
    ).toEqual(['duplicate_user_time', null, null]);
    expect(await claim(second, { id: 'a', user: ada, time: 1 })).toEqual(['duplicate_id']);
  });

  test('leaves what a duplicate lost free for both', async () => {
    const { claim } = await newTenant();
    await claim(first, { id: 'a', user: ada, time: 1 });

    await claim(second, { id: 'a', user: ada, time: 2 }, { id: 'b', user: ada, time: 1 });

    expect(await claim(second, { id: 'b', user: ada, time: 3 })).toEqual([null]);
    expect(await claim(first, { id: 'c', user: ada, time: 2 })).toEqual([null]);
  });

  test('waits for its open transaction, and sees what it gave back', async () => {
    const { claim, claimOf } = await newTenant();

    const waiting: { decided?: Promise<unknown> } = {};
    await db.transaction(async (sql) => {
      await VERSIONS[first](sql, [claimOf({ id: 'a' })]);
      waiting.decided = claim(second, { id: 'a' });
      await untilBlockedBy(db, sql);
    });
    expect(await waiting.decided).toEqual(['duplicate_id']);

    const rolledBack = db.transaction(async (sql) => {
      await VERSIONS[first](sql, [claimOf({ id: 'b' })]);
      waiting.decided = claim(second, { id: 'b' });
      await untilBlockedBy(db, sql);
      throw new Error('roll back');
    });
    await expect(rolledBack).rejects.toThrow('roll back');
    expect(await waiting.decided).toEqual([null]);
  });

  test('gets what a concurrent batch gave up after it had won it', async () => {
    const { claim, claimOf } = await newTenant();

    const { decided } = await db.transaction(async (sql) => {
      await VERSIONS[first](sql, [claimOf({ id: 'a' })]);
      // Until the rival is known, the first and the last win. Then the second wins the id of the
      // last.
      const waiting = claim(
        second,
        { id: 'a', user: ada, time: 1 },
        { id: 'x', user: ada, time: 1 },
        { id: 'x', user: ada, time: 2 },
      );
      await untilBlockedBy(db, sql);
      return { decided: waiting };
    });

    expect(await decided).toEqual(['duplicate_id', null, 'duplicate_id']);
    expect(await claim(first, { id: 'y', user: ada, time: 2 })).toEqual([null]);
    expect(await claim(first, { id: 'z', user: ada, time: 1 })).toEqual(['duplicate_user_time']);
  });
});

describe.each(['present', 'previous'] as const)(
  'of what was stored before the migration, the %s version',
  (version) => {
    test('stores no id and no time of a user twice', async () => {
      const { claim, store } = await newTenant();
      await store({}, { id: 'a', user: ada, time: 1 }, { id: 'b', keyType: 'client' });

      expect(
        await claim(
          version,
          { id: 'a' },
          { id: 'c', user: ada, time: 1 },
          { id: 'c', user: ada, time: 2 },
          { id: 'b' },
        ),
      ).toEqual(['duplicate_id', 'duplicate_user_time', null, null]);
      expect(await claim(version, { id: 'b', keyType: 'client' })).toEqual(['duplicate_id']);
      // Alone in its batch: the insert itself finds the duplicate.
      expect(await claim(version, { id: 'd', user: ada, time: 1 })).toEqual([
        'duplicate_user_time',
      ]);
    });

    test.each(['server', 'client'] as const)(
      'takes an id without a name space for one of a %s key, too',
      async (keyType) => {
        const { claim, store } = await newTenant();
        await store({ holdsBoth: true }, { id: 'a' });

        expect(await claim(version, { id: 'a', keyType }, { id: 'b', keyType })).toEqual([
          'duplicate_id',
          null,
        ]);
      },
    );

    test('leaves the other key of a duplicate free for both versions', async () => {
      const { claim, store } = await newTenant();
      await store({}, { id: 'a' });

      await claim(version, { id: 'a', user: ada, time: 7 });

      expect(await claim('present', { id: 'b', user: ada, time: 7 })).toEqual([null]);
      expect(await claim('previous', { id: 'c', user: ada, time: 7 })).toEqual([
        'duplicate_user_time',
      ]);
    });
  },
);

test('the previous version finds a duplicate also after the deletion of the user whom both saw', async () => {
  const { claim, applicationId } = await newTenant();
  const anonymize = async () =>
    db.sql.query(
      'update message_keys set service_user_id = null, time = null where application_id = $1',
      [applicationId],
    );
  await claim('present', { id: 'a', user: ada, time: 1 });
  expect(await claim('previous', { id: 'b', user: ada, time: 1 })).toEqual(['duplicate_user_time']);

  await anonymize();

  expect(await claim('previous', { id: 'c', user: ada, time: 1 })).toEqual(['duplicate_user_time']);
});

test('twenty concurrent batches of both versions give every id and every time of a user to exactly one message', async () => {
  const { claim } = await newTenant();
  const random = randomFrom(20_260_101);
  const below = (bound: number): number => Math.floor(random() * bound);
  const batches = Array.from({ length: 20 }, (_, batch) => ({
    version: batch % 2 === 0 ? ('previous' as const) : ('present' as const),
    messages: Array.from({ length: 30 }, () => ({
      id: `m${below(200)}`,
      time: below(60),
      user: [ada, eve, null][below(3)] ?? null,
    })),
  }));

  const decided = await Promise.all(
    batches.map(async ({ version, messages }) => {
      const reasons = await claim(version, ...messages);
      return messages.map((message, index) => ({ ...message, version, reason: reasons[index] }));
    }),
  );

  const all = decided.flat();
  const kept = all.filter(({ reason }) => reason === null);
  const userTimes = kept.flatMap(({ user, time }) => (user === null ? [] : [`${user} ${time}`]));
  expect(new Set(kept.map(({ id }) => id)).size).toBe(kept.length);
  expect(new Set(userTimes).size).toBe(userTimes.length);
  // No message is lost: each other one has a kept one beside it.
  const ids = new Set(kept.map(({ id }) => id));
  const isTaken = ({ id, user, time }: (typeof all)[number]): boolean =>
    ids.has(id) || userTimes.includes(`${user} ${time}`);
  expect(all.filter((message) => !isTaken(message))).toEqual([]);
  expect(new Set(kept.map(({ version }) => version))).toEqual(new Set(['previous', 'present']));
}, 60_000);

test.each(['a', '', ' a', 'ä€😀', 'server:a', '\\x00', 'a'.repeat(2_000)])(
  'the database computes the same key of %j',
  async (id) => {
    const { applicationId } = await newTenant();

    const { rows } = await db.sql.query<{ id: string; user_time: string }>(
      `select duplicate_key($1::uuid || ':client:' || $2::text) as id,
              duplicate_key($1::uuid || ':' || $3::uuid || ':' || $4::bigint) as user_time`,
      [applicationId, id, ada, '-9223372036854775808'],
    );

    const digits = (uuid = ''): string => uuid.replaceAll('-', '');
    expect(digits(rows[0]?.id)).toBe(duplicateKey(messageIdText(applicationId, 'client', id)));
    expect(digits(rows[0]?.user_time)).toBe(
      duplicateKey(userTimeText(applicationId, ada, '-9223372036854775808')),
    );
  },
);
