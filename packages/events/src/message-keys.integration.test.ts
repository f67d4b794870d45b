import { afterAll, describe, expect, test } from '@jest/globals';
import type { KeyType } from '@tidings/contracts/ingest/records';
import { systemIds } from '@tidings/platform';
import {
  actionMessage,
  connectTestDatabase,
  createTestApplication,
  ingestRecord,
  transactUntilDone,
  untilBlockedBy,
} from '@tidings/testing';
import { claimMessageKeys, type KeyClaim } from './message-keys.ts';

const db = connectTestDatabase({ poolMax: 50 });
afterAll(() => db.close());

type Sent = {
  readonly id?: string;
  readonly time?: number | bigint;
  readonly serviceUserId?: string | null;
  readonly keyType?: KeyType;
};
type Reason = 'duplicate_id' | 'duplicate_user_time' | null;

/**
 * A separate application for a test. Claims keys for messages, each in a request of its own, in one
 * transaction.
 */
async function newTenant() {
  const { applicationId } = await createTestApplication(db);
  const requestIds: string[] = [];
  const claimOf = ({ serviceUserId = null, keyType = 'server', ...fields }: Sent): KeyClaim => {
    const messages = [actionMessage(fields)];
    const record = ingestRecord({ applicationId, keyType, serviceUserId, messages });
    requestIds.push(record.requestId);
    return { record, index: 0, serviceUserId };
  };
  return {
    applicationId,
    claim: (...sent: readonly Sent[]) =>
      transactUntilDone(db, (sql) => claimMessageKeys(sql, sent.map(claimOf))) as Promise<Reason[]>,
    async countKeys(): Promise<number> {
      const { rows } = await db.sql.query<{ n: string }>(
        'select count(*) as n from duplicate_keys where request_id = any($1)',
        [requestIds],
      );
      return Number(rows[0]?.n);
    },
  };
}

const ada = systemIds.uuid();
const eve = systemIds.uuid();

describe('of messages', () => {
  const cases: readonly [string, readonly (Sent & { readonly is: Reason })[]][] = [
    [
      'with one id the first wins, even if everything else differs',
      [
        { id: 'a', time: 1, is: null },
        { id: 'a', time: 2, serviceUserId: ada, is: 'duplicate_id' },
      ],
    ],
    [
      'with ids that differ in case each has its own',
      [
        { id: 'a', is: null },
        { id: 'A', is: null },
        { id: ' a', is: null },
      ],
    ],
    [
      'of one serviceUserId and time the first wins, even with different ids',
      [
        { id: 'a', time: 1, serviceUserId: ada, is: null },
        { id: 'b', time: 1, serviceUserId: ada, is: 'duplicate_user_time' },
      ],
    ],
    [
      'with other users or times none is a duplicate',
      [
        { time: 1, serviceUserId: ada, is: null },
        { time: 2, serviceUserId: ada, is: null },
        { time: 1, serviceUserId: eve, is: null },
      ],
    ],
    [
      'of a Client key and of a Server key each type has its own ids',
      [
        { id: 'order-1', keyType: 'client', is: null },
        { id: 'order-1', is: null },
        { id: 'order-1', keyType: 'client', is: 'duplicate_id' },
        { id: 'order-1', is: 'duplicate_id' },
      ],
    ],
    [
      'of both types of key the first wins a serviceUserId and time',
      [
        { id: 'a', time: 1, serviceUserId: ada, keyType: 'client', is: null },
        { id: 'b', time: 1, serviceUserId: ada, is: 'duplicate_user_time' },
      ],
    ],
    [
      'without a serviceUserId only the id counts',
      [
        { id: 'a', time: 1, is: null },
        { id: 'b', time: 1, is: null },
        { id: 'a', time: 1, is: 'duplicate_id' },
      ],
    ],
    [
      'the id is the reason where both rules apply',
      [
        { id: 'a', time: 1, serviceUserId: ada, is: null },
        { id: 'a', time: 1, serviceUserId: ada, is: 'duplicate_id' },
      ],
    ],
    [
      'a message that loses its id leaves its time free',
      [
        { id: 'a', time: 1, is: null },
        { id: 'a', time: 2, serviceUserId: ada, is: 'duplicate_id' },
        { id: 'b', time: 2, serviceUserId: ada, is: null },
      ],
    ],
    [
      'a message that loses its time leaves its id free',
      [
        { id: 'a', time: 1, serviceUserId: ada, is: null },
        { id: 'b', time: 1, serviceUserId: ada, is: 'duplicate_user_time' },
        { id: 'b', time: 2, serviceUserId: ada, is: null },
      ],
    ],
    [
      'times that are equal as doubles are still different',
      [
        { time: 9007199254740992, serviceUserId: ada, is: null },
        { time: 9007199254740993n, serviceUserId: ada, is: null },
        { time: 9007199254740992n, serviceUserId: ada, is: 'duplicate_user_time' },
        { time: 9223372036854775807n, serviceUserId: ada, is: null },
        { time: -9223372036854775808n, serviceUserId: ada, is: null },
      ],
    ],
  ];

  test.each(cases)('%s (in one batch)', async (_, sent) => {
    const { claim } = await newTenant();

    expect(await claim(...sent)).toEqual(sent.map(({ is }) => is));
  });

  test.each(cases)('%s (in consecutive batches)', async (_, sent) => {
    const { claim } = await newTenant();

    for (const message of sent) expect(await claim(message)).toEqual([message.is]);
  });

  test('of two applications are never duplicates of each other', async () => {
    const [tenant, other] = [await newTenant(), await newTenant()];
    const sent = { id: 'a', time: 1, serviceUserId: ada };

    expect(await tenant.claim(sent)).toEqual([null]);
    expect(await other.claim(sent)).toEqual([null]);
  });

  test('whose id contains the name of a type of key are not mistaken for one of that type', async () => {
    const { claim } = await newTenant();
    const ids = ['client:a', 'server:a', 'a', ':a', 'a:server'];

    for (const keyType of ['server', 'client'] as const)
      expect(await claim(...ids.map((id) => ({ id, keyType })))).toEqual(ids.map(() => null));
  });

  test('of a rolled-back transaction use up nothing', async () => {
    const { claim, applicationId } = await newTenant();
    const record = ingestRecord({ applicationId, messages: [actionMessage({ id: 'a' })] });
    const rollback = new Error('roll back');

    await expect(
      db.transaction(async (sql) => {
        expect(await claimMessageKeys(sql, [{ record, index: 0, serviceUserId: null }])).toEqual([
          null,
        ]);
        throw rollback;
      }),
    ).rejects.toBe(rollback);

    expect(await claim({ id: 'a' })).toEqual([null]);
  });
});

test('the first of a batch gets its keys even when one before it loses to a concurrent transaction', async () => {
  const { applicationId, claim } = await newTenant();
  const rival: KeyClaim = {
    record: ingestRecord({ applicationId, messages: [actionMessage({ id: 'a' })] }),
    index: 0,
    serviceUserId: null,
  };

  const { waiting } = await db.transaction(async (sql) => {
    await claimMessageKeys(sql, [rival]);
    // Until the rival is known, the first and the last win. Then the second wins the id of the
    // last, because it comes before it.
    const claimed = claim(
      { id: 'a', time: 1, serviceUserId: ada },
      { id: 'x', time: 1, serviceUserId: ada },
      { id: 'x', time: 2, serviceUserId: ada },
    );
    await untilBlockedBy(db, sql);
    return { waiting: claimed };
  });

  expect(await waiting).toEqual(['duplicate_id', null, 'duplicate_id']);
  expect(
    await claim({ id: 'y', time: 2, serviceUserId: ada }, { id: 'z', time: 1, serviceUserId: ada }),
  ).toEqual([null, 'duplicate_user_time']);
});

test('fifty overlapping concurrent batches give every id and every user’s time to exactly one message, and leave all others free', async () => {
  const { claim, countKeys } = await newTenant();
  const random = seededRandom(20_260_101);
  const users = [ada, eve, null];
  // Ids and times are drawn independently, so that a message may lose one to one message and the
  // other to another.
  const batches = Array.from({ length: 50 }, () =>
    Array.from({ length: 40 }, () => ({
      id: `m${random(400)}`,
      time: random(120),
      serviceUserId: users[random(users.length)] ?? null,
    })),
  );

  const decided = await Promise.all(
    batches.map(async (batch) => ({ batch, reasons: await claim(...batch) })),
  );

  const all = decided.flatMap(({ batch, reasons }) =>
    batch.map((message, index) => ({ ...message, reason: reasons[index] })),
  );
  const winners = all.filter(({ reason }) => reason === null);
  const ids = winners.map(({ id }) => id);
  const userTimes = winners.flatMap(({ serviceUserId, time }) =>
    serviceUserId === null ? [] : [`${serviceUserId} ${time}`],
  );
  expect(new Set(ids).size).toBe(ids.length);
  expect(new Set(userTimes).size).toBe(userTimes.length);
  expect(await countKeys()).toBe(winners.length);
  const losersBy = (reason: Reason) => all.filter((message) => message.reason === reason);
  expect(losersBy('duplicate_id').filter(({ id }) => !ids.includes(id))).toEqual([]);
  expect(
    losersBy('duplicate_user_time').filter(
      ({ serviceUserId, time }) => !userTimes.includes(`${serviceUserId} ${time}`),
    ),
  ).toEqual([]);
  // Batches that overlap in both rules deadlock now and then; Postgres takes a second to detect
  // each.
}, 60_000);

/** Integers below a bound, the same in every run. */
function seededRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    // A linear congruential generator is random enough to shuffle batches.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
