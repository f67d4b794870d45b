import { randomBytes } from 'node:crypto';
import { afterAll, expect, jest, test } from '@jest/globals';
import { systemIds } from '@tidings/platform';
import { createOwnDatabase } from '@tidings/testing';
import { appendRecords, createPartitioner } from './append.ts';
import { claimLeases, commitOffset, joinGroup, renewMember } from './members.ts';
import { readTopicOffsets } from './offsets.ts';
import { rotateBlocks } from './retention.ts';
import { ensureTopics, readTopic, type Topic } from './topics.ts';

jest.setTimeout(300_000);

const HOURS = 1_000;
/** After these the tables have taken turns, and sizes no longer change. */
const FIRST_HOURS = 100;
const APPENDS_PER_HOUR = 3;
const RECORDS_PER_APPEND = 4;
const RECORD_BYTES = 1_000;
const PARTITIONS = 2;
const LEASE_MS = 600_000;

const TOPIC = 'growing';
const member = { group: 'reader', member: systemIds.uuid() };
const own = await createOwnDatabase();
afterAll(() => own.close());

interface Sizes {
  /** Bytes of the tables with records, and of their indexes. */
  readonly blocks: number;
  /** Rows of the other tables of the log. Their bytes also depend on how long others' transactions keep old versions. */
  readonly stateRows: number;
  /** Bytes of the whole database, which has the catalogs of Postgres. */
  readonly database: number;
}

async function readSizes(): Promise<Sizes> {
  const { rows } = await own.sql.query<Sizes>(
    `select
       (
         select sum(pg_total_relation_size(oid))::float8
         from pg_class
         where relname like 'log\\_blocks\\_%' and relkind = 'r'
       ) as blocks,
       (
         (select count(*) from log_topics) + (select count(*) from log_heads)
         + (select count(*) from log_groups) + (select count(*) from log_members)
         + (select count(*) from log_leases) + (select count(*) from log_state)
       )::float8 as "stateRows",
       pg_database_size(current_database())::float8 as database`,
  );
  return rows[0] ?? { blocks: NaN, stateRows: NaN, database: NaN };
}

async function createReadTopic(): Promise<{ topic: Topic; fences: Map<number, bigint> }> {
  await ensureTopics(own, [
    { topic: TOPIC, partitions: PARTITIONS, retentionMs: 3_600_000, recordBytesMax: 1e6 },
  ]);
  const topic = await readTopic(own.sql, TOPIC);
  if (topic === undefined) throw new Error('the topic was not created');
  const generation = await joinGroup(own, { ...member, topicIds: [topic.topicId] }, LEASE_MS);
  const leases = await claimLeases(own, member, {
    shares: Array.from({ length: PARTITIONS }, (_, part) => ({ topicId: topic.topicId, part })),
    generation,
    rebalanceTimeoutMs: LEASE_MS,
  });
  return { topic, fences: new Map((leases ?? []).map(({ part, fence }) => [part, fence])) };
}

test('a thousand hours of a steady load leave a log of the size of the first hundred', async () => {
  const { topic, fences } = await createReadTopic();
  const partitionOf = createPartitioner();
  const outcomes = new Map<string, number>();
  const sizes: Sizes[] = [];

  for (let hour = 1; hour <= HOURS; hour += 1) {
    for (let number = 0; number < APPENDS_PER_HOUR; number += 1) {
      const positions = await appendRecords(own.sql, topic, {
        // Random, so that compression does not hide growth.
        records: Array.from({ length: RECORDS_PER_APPEND }, () => ({
          key: null,
          value: randomBytes(RECORD_BYTES),
          headers: {},
        })),
        partitionOf,
      });
      for (const [part, next] of new Map(positions.map((at) => [at.partition, at.offset + 1n])))
        await commitOffset(own.sql, member, {
          topicId: topic.topicId,
          part,
          fence: fences.get(part) ?? -1n,
          next,
        });
    }
    await renewMember(own.sql, member, LEASE_MS);
    const outcome = await rotateBlocks(own, {
      groups: [{ group: member.group, topics: [TOPIC] }],
      bytesMax: 0,
      ageMsMax: 3_600_000,
    });
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    if (hour % FIRST_HOURS !== 0) continue;
    // Each rotation leaves dead rows in the catalogs. Autovacuum runs once a minute: too late here.
    await own.sql.query('vacuum');
    sizes.push(await readSizes());
  }

  expect(outcomes).toEqual(new Map([['rotated', HOURS]]));
  const [first, last] = [sizes.at(0), sizes.at(-1)];
  expect(last?.blocks).toBeLessThan((first?.blocks ?? NaN) * 1.1);
  expect(last?.stateRows).toBe(first?.stateRows);
  expect(last?.database).toBeLessThan((first?.database ?? NaN) + 100_000);
  const offsets = await readTopicOffsets(own.sql, TOPIC);
  const kept = [...offsets.values()].reduce((sum, { low, high }) => sum + Number(high - low), 0);
  // The table in use and the one before; the third has just been emptied.
  expect(kept).toBe(2 * APPENDS_PER_HOUR * RECORDS_PER_APPEND);
});
