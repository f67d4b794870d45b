import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { chooseLane } from '@tidings/contracts/channels/channels';
import { CHUNK_ROWS_MAX } from '@tidings/contracts/ingest/records';
import type { Condition } from '@tidings/contracts/segments/conditions';
import { acceptCampaign } from '@tidings/delivery/accept';
import { takeSnapshot } from '@tidings/delivery/snapshots';
import { createMemory } from '@tidings/folds/memory';
import { connectTestDatabase, createTestApplication, newCampaign } from '@tidings/testing';
import { audienceCondition } from './audience.ts';
import { foldLeaves } from './fold-leaves.ts';
import { compileMembers } from './members.ts';
import { localSettings } from './question-queue.ts';
import { createCondition } from './testing/create-condition.ts';
import { createPopulation } from './testing/create-population.ts';
import { evaluate } from './testing/evaluate.ts';
import { insertPopulation } from './testing/insert-population.ts';
import type { Population } from './testing/population.ts';
import { createRandom } from './testing/random.ts';

const NOW = Date.parse('2026-06-15T12:00:00.000Z');
const USERS = 1_500;
const SNAPSHOTS = 60;

const db = connectTestDatabase();
afterAll(() => db.close());
const random = createRandom(20_260_505);
let of: Population;

beforeAll(async () => {
  const { applicationId } = await createTestApplication(db);
  of = createPopulation(random, { applicationId, now: NOW, count: USERS });
  await insertPopulation(db, of);
  await db.sql.query('analyze users, events, devices, deliveries');
}, 60_000);

async function snapshotOf(condition: Condition) {
  const campaign = newCampaign({
    applicationId: of.applicationId,
    recipients: [],
    audience: { segment: null, version: null, condition, exclude: null, recheck: false },
  });
  await acceptCampaign(db, campaign);
  const result = await takeSnapshot({ db, keyedDb: db }, campaign.campaignId, {
    isSlow: false,
    timeoutMs: 60_000,
    triesMax: 1,
    retryMs: 0,
    signal: new AbortController().signal,
    async findMembers(sql, { audience }) {
      await sql.query(localSettings({ name: 'test', workMemMiB: 64 }));
      const context = { ...of, eventRetentionDays: null, deliveryRetentionDays: null };
      const asked = { context, conditions: [condition], now: NOW };
      const folded = await foldLeaves(sql, asked, createMemory(16));
      return { audience, members: compileMembers({ context, condition, now: NOW }, folded) };
    },
  });
  const { rows } = await db.sql.query<{ chunk_no: number; lane: string; recipients: string[] }>(
    'select chunk_no, lane, recipients from campaign_chunks where campaign_id = $1 order by 1',
    [campaign.campaignId],
  );
  return { result, chunks: rows };
}

test(`the chunks of ${SNAPSHOTS} generated audiences have the users of a plain evaluation, each once`, async () => {
  let partial = 0;
  for (let index = 0; index < SNAPSHOTS; index += 1) {
    const [members, excluded] = [createCondition(random, of), createCondition(random, of)];
    const condition = audienceCondition(members, index % 3 === 0 ? null : excluded);
    const registered = of.persons.filter(({ registeredAt }) => registeredAt !== null);
    const expected = registered
      .filter(
        (person) =>
          evaluate(members, person, of) && (index % 3 === 0 || !evaluate(excluded, person, of)),
      )
      .map(({ customUserId }) => String(customUserId))
      .toSorted();
    if (expected.length > 0 && expected.length < registered.length) partial += 1;

    const { result, chunks } = await snapshotOf(condition);

    const lane = chooseLane(expected.length);
    expect({ condition, result }).toEqual({
      condition,
      result: { outcome: 'taken', recipients: expected.length, lane },
    });
    const sizes = chunks.map(({ recipients }) => recipients.length);
    expect(chunks.flatMap(({ recipients }) => recipients).toSorted()).toEqual(expected);
    expect(chunks.map((chunk) => [chunk.chunk_no, chunk.lane])).toEqual(
      sizes.map((_, no) => [no, lane]),
    );
    // All chunks but the last are full.
    expect(sizes.slice(0, -1).every((size) => size === CHUNK_ROWS_MAX)).toBe(true);
    expect(sizes.at(-1) ?? 1).toBeGreaterThan(0);
    expect(sizes.at(-1) ?? 0).toBeLessThanOrEqual(CHUNK_ROWS_MAX);
  }
  expect(partial).toBeGreaterThan(SNAPSHOTS / 2);
}, 120_000);
