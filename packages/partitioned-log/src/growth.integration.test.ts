import { randomBytes } from 'node:crypto';
import { afterAll, expect, jest, test } from '@jest/globals';
import { systemIds } from '@tidings/platform';
import { casesOfRun, createOwnDatabase } from '@tidings/testing';
import { appendRecords, createPartitioner } from './append.ts';
import { claimLeases, commitOffset, joinGroup, renewMember } from './members.ts';
import { readTopicOffsets } from './offsets.ts';
import { rotateBlocks } from './retention.ts';
import { ensureTopics, readTopic, type Topic } from './topics.ts';

jest.setTimeout(300_000);

const HOURS = casesOfRun({ usual: 300, all: 1_000 });
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
  /**
   * Rows of every other table of the database, catalogs included. Their bytes also depend on how long
   * transactions, in any database of the server, keep old versions, and on when autovacuum runs.
   */
  readonly rows: ReadonlyMap<string, number>;
}

/** An ANALYZE writes `pg_statistic`, whenever it runs. */
const COUNTED = `
  select format('select %L as "table", count(*)::int as rows from %s', oid::regclass, oid::regclass)
    as count
  from pg_class
  where relkind = 'r' and not relisshared and relname not like 'log\\_blocks\\_%'
    and oid <> 'pg_statistic'::regclass`;

async function readSizes(): Promise<Sizes> {
  const { sql } = own;
  const { rows: blocks } = await sql.query<{ bytes: number }>(
    `select sum(pg_total_relation_size(oid))::float8 as bytes
     from pg_class where relname like 'log\\_blocks\\_%' and relkind = 'r'`,
  );
  const { rows: counted } = await sql.query<{ count: string }>(COUNTED);
  const { rows } = await sql.query<{ table: string; rows: number }>(
    counted.map(({ count }) => count).join(' union all '),
  );
  return {
    blocks: blocks[0]?.bytes ?? NaN,
    rows: new Map(rows.map((row) => [row.table, row.rows])),
  };
}

/** A VACUUM that holds a table of blocks lets a rotation wait until the next call. */
const stopAutovacuum = () =>
  own.sql.query(`do $$ declare one regclass; begin
    for one in select oid from pg_class where relkind = 'r' and relname like 'log\\_blocks\\_%' loop
      execute format('alter table %s set (autovacuum_enabled = false)', one);
    end loop;
  end $$`);

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

test(`${HOURS} hours of a steady load leave a log of the size of the first hundred`, async () => {
  const { topic, fences } = await createReadTopic();
  const partitionOf = createPartitioner();
  const outcomes = new Map<string, number>();
  const sizes: Sizes[] = [];
  await stopAutovacuum();

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
    if (hour === FIRST_HOURS || hour === HOURS) sizes.push(await readSizes());
  }

  expect(outcomes).toEqual(new Map([['rotated', HOURS]]));
  const [first, last] = [sizes.at(0), sizes.at(-1)];
  expect(last?.blocks).toBeLessThan((first?.blocks ?? NaN) * 1.1);
  expect(first?.rows.get('log_leases')).toBe(PARTITIONS);
  expect(last?.rows).toEqual(first?.rows);
  const offsets = await readTopicOffsets(own.sql, TOPIC);
  const kept = [...offsets.values()].reduce((sum, { low, high }) => sum + Number(high - low), 0);
  // The table in use and the one before; the third has just been emptied.
  expect(kept).toBe(2 * APPENDS_PER_HOUR * RECORDS_PER_APPEND);
});
