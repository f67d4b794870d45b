import { afterAll, describe, expect, test } from '@jest/globals';
import { connectTestDatabase, createSendingCampaign, untilBlockedBy } from '@tidings/testing';
import type { NewCampaign } from './accept.ts';
import { changeDeliveryStates, targetKey } from './change-states.ts';
import {
  claimChunk,
  claimRead,
  readDueRows,
  releaseClaims,
  type ClaimedDelivery,
  type Fenced,
} from './claims.ts';
import { markGroupsSending, markSending } from './mark-sending.ts';
import { expireSendingLeases } from './sweeps.ts';
import { writeAnHourAhead } from './testing/clock-ahead.ts';

const db = connectTestDatabase();
afterAll(() => db.close());

const LEASE_MS = 60_000;
const CLAIM = { owner: 'worker', leaseMs: LEASE_MS };

const read = ({ campaignId }: NewCampaign, { rowsMax = 200, leaseMs = LEASE_MS } = {}) =>
  readDueRows(db, { campaignId, chunkNo: 0, rowsMax, leaseMs });
const claim = ({ campaignId }: NewCampaign) =>
  claimChunk(db, { campaignId, chunkNo: 0, rowsMax: 200, ...CLAIM });
const mark = (rows: readonly Fenced[]) => markSending(db, rows, LEASE_MS);
const keys = (rows: readonly Fenced[]) => new Set(rows.map(targetKey));

async function rowsOf({ campaignId }: NewCampaign) {
  const { rows } = await db.sql.query<{ state: string; fence: number; attempts: number }>(
    'select state, fence, attempts from deliveries where campaign_id = $1 order by id',
    [campaignId],
  );
  return rows;
}

const change = (campaign: NewCampaign, set: string) =>
  db.sql.query(`update deliveries set ${set} where campaign_id = $1`, [campaign.campaignId]);
const changeCampaign = (campaign: NewCampaign, set: string) =>
  db.sql.query(`update campaigns set ${set} where id = $1`, [campaign.campaignId]);

/** The sweep finds the leases of their chunks as if their time had passed. */
async function endSendLeases(campaigns: readonly NewCampaign[]): Promise<void> {
  for (const { campaignId } of campaigns) {
    const { rowCount } = await db.sql.query(
      `update campaign_chunks set leased_until = now() - interval '1 ms' where campaign_id = $1 and leased_until is not null`,
      [campaignId],
    );
    expect(rowCount).toBe(1);
    await db.sql.query(
      `update deliveries set lease_until = now() - interval '1 ms' where campaign_id = $1`,
      [campaignId],
    );
  }
  await expireSendingLeases(db);
}

/** An attempt that another worker makes of all rows, and whose outcome allows another at once. */
async function attemptAndReturn(campaign: NewCampaign): Promise<void> {
  const rows = await read(campaign);
  await mark(rows);
  await changeDeliveryStates(
    db.sql,
    ['sending'],
    rows.map(({ deliveryId, fence }) => ({
      deliveryId,
      fence,
      state: 'pending' as const,
      isAttemptReturned: true,
    })),
  );
}

test('a read finds what a claim would, with the fence that is next, and writes nothing', async () => {
  const campaign = await createSendingCampaign(db, { count: 3 });

  const rows = await read(campaign);

  expect(await rowsOf(campaign)).toEqual(
    rows.map(() => ({ state: 'pending', fence: 0, attempts: 0 })),
  );
  const claimed = await claim(campaign);
  const shown = (row: ClaimedDelivery) => ({ ...row, ageMs: 0, readUntil: 0 });
  expect(rows.map(shown)).toEqual(claimed.map(shown));
  expect(rows.map(({ readUntil }) => typeof readUntil)).toEqual(rows.map(() => 'number'));
});

test('a read takes no more rows than asked for, the first by their ids', async () => {
  const campaign = await createSendingCampaign(db, { count: 5 });
  const all = await read(campaign);

  expect((await read(campaign, { rowsMax: 3 })).map(targetKey)).toEqual(
    all.map(targetKey).toSorted().slice(0, 3),
  );
});

test.each(['paused', 'canceled', 'completed'])(
  'a read takes nothing of a campaign that is %s',
  async (status) => {
    const campaign = await createSendingCampaign(db);
    await changeCampaign(campaign, `status = '${status}'`);

    expect(await read(campaign)).toEqual([]);
  },
);

test('rows that were read are marked directly: the fence grows and the attempt counts', async () => {
  const campaign = await createSendingCampaign(db, { count: 2 });
  const rows = await read(campaign);

  expect(await mark(rows)).toEqual(keys(rows));

  expect(await rowsOf(campaign)).toEqual(
    rows.map(({ fence }) => ({ state: 'sending', fence, attempts: 1 })),
  );
  expect(await read(campaign)).toEqual([]);
});

test('their send leases are found by their chunk', async () => {
  const campaign = await createSendingCampaign(db, { count: 2 });
  await mark(await read(campaign));

  await endSendLeases([campaign]);

  expect((await rowsOf(campaign)).map(({ state }) => state)).toEqual(['unknown', 'unknown']);
});

test('of several readers of a row one marks it, however many try at once', async () => {
  const campaign = await createSendingCampaign(db, { count: 40 });
  const readers = await Promise.all([1, 2, 3, 4].map(() => read(campaign)));

  const marked = await Promise.all(
    readers.flatMap((rows) => [mark(rows.slice(0, 20)), mark(rows.slice(20))]),
  );

  const all = marked.flatMap((ids) => [...ids]);
  expect(all).toHaveLength(40);
  expect(new Set(all).size).toBe(40);
});

test('two groups that share a statement do not share a row', async () => {
  const campaign = await createSendingCampaign(db, { count: 3 });
  const [first, second] = [await read(campaign), await read(campaign)];

  const marked = await markGroupsSending(db, [first, second], LEASE_MS);

  expect(marked.map(({ size }) => size)).toEqual([3, 0]);
});

test('rows that were read and rows that were claimed are marked together', async () => {
  const [ofRead, ofClaim] = [await createSendingCampaign(db), await createSendingCampaign(db)];
  const groups = [await read(ofRead), await claim(ofClaim)];

  const marked = await markGroupsSending(db, groups, LEASE_MS);

  expect(marked).toEqual(groups.map(keys));
  await endSendLeases([ofRead, ofClaim]);
  expect((await rowsOf(ofRead)).map(({ state }) => state)).toEqual(['unknown']);
  expect((await rowsOf(ofClaim)).map(({ state }) => state)).toEqual(['unknown']);
});

test('a marking that waited for another finds the fence that is there then', async () => {
  const campaign = await createSendingCampaign(db);
  const rows = await read(campaign);
  let waiting: Promise<ReadonlySet<string>> | undefined;

  await db.transaction(async (sql) => {
    await markSending({ sql }, rows, LEASE_MS);
    waiting = mark(rows);
    await untilBlockedBy(db, sql);
  });

  expect(await waiting).toEqual(new Set());
});

/** What happens between a read and the marking or the claim. */
const CHANGES: readonly (readonly [string, (campaign: NewCampaign) => Promise<unknown>])[] = [
  ['another claimed them', claim],
  ['another claimed them and gave them back', async (c) => releaseClaims(db, await claim(c), 0)],
  ['another is sending them', async (c) => mark(await read(c))],
  ['another has sent them without effect', attemptAndReturn],
  ['they are held until later', (c) => change(c, `next_at = now() + interval '1 hour'`)],
  ...(['sending', 'unknown', 'sent', 'failed', 'canceled', 'expired', 'waiting'] as const).map(
    (state) => [`they are ${state}`, (c: NewCampaign) => change(c, `state = '${state}'`)] as const,
  ),
];

describe.each(CHANGES)('if %s since they were read', (_what, happen) => {
  test('they are not marked', async () => {
    const campaign = await createSendingCampaign(db, { count: 2 });
    const rows = await read(campaign);
    await happen(campaign);
    const before = await rowsOf(campaign);

    expect(await mark(rows)).toEqual(new Set());
    expect(await rowsOf(campaign)).toEqual(before);
  });

  test('they are not claimed', async () => {
    const campaign = await createSendingCampaign(db, { count: 2 });
    const rows = await read(campaign);
    await happen(campaign);
    const before = await rowsOf(campaign);

    expect(await claimRead(db, rows, CLAIM)).toEqual([]);
    expect(await rowsOf(campaign)).toEqual(before);
  });
});

test.each([
  ['is paused', `status = 'paused'`],
  ['is canceled', `status = 'canceled'`],
  ['expired', 'expires_at = now()'],
])('nothing is marked if the campaign %s since', async (_what, set) => {
  const campaign = await createSendingCampaign(db);
  const rows = await read(campaign);
  await changeCampaign(campaign, set);

  expect(await mark(rows)).toEqual(new Set());
});

test('rows that were read too long ago are neither marked nor claimed: their addresses may have changed', async () => {
  const campaign = await createSendingCampaign(db);
  const rows = await read(campaign, { leaseMs: 0 });

  expect(await mark(rows)).toEqual(new Set());
  expect(await claimRead(db, rows, CLAIM)).toEqual([]);
});

test('rows of a claim whose lease ended are read and marked, and the claim is worth nothing then', async () => {
  const campaign = await createSendingCampaign(db);
  const claimed = await claim(campaign);
  expect(await read(campaign)).toEqual([]);
  await change(campaign, `lease_until = now() - interval '1 ms'`);
  const rows = await read(campaign);

  expect(rows).toMatchObject([{ fence: 2 }]);
  expect(await mark(claimed)).toEqual(new Set());
  expect(await mark(rows)).toEqual(keys(rows));
  expect(await mark(claimed)).toEqual(new Set());
});

test('rows that were written while the clock was ahead are read and marked at once', async () => {
  const campaign = await createSendingCampaign(db, { count: 2 });
  await releaseClaims(db, await claim(campaign), LEASE_MS);
  expect(await read(campaign)).toEqual([]);
  await writeAnHourAhead(db, campaign.campaignId, { tables: ['deliveries'] });

  const rows = await read(campaign);

  expect(rows).toHaveLength(2);
  expect((await mark(rows)).size).toBe(2);
});

test('a claim of rows that were read is a claim: with their fence they are settled, released and marked', async () => {
  const campaign = await createSendingCampaign(db, { count: 3 });
  const rows = await read(campaign);

  const claimed = await claimRead(db, rows, CLAIM);

  expect(claimed).toEqual(rows.map(({ deliveryId, fence }) => ({ deliveryId, fence })));
  expect(await rowsOf(campaign)).toEqual(
    rows.map(({ fence }) => ({ state: 'claimed', fence, attempts: 0 })),
  );
  const [one, two, three] = claimed;
  if (!one || !two || !three) throw new Error('nothing was claimed');
  await releaseClaims(db, [one], LEASE_MS);
  await changeDeliveryStates(
    db.sql,
    ['claimed'],
    [{ deliveryId: two.deliveryId, fence: two.fence, state: 'failed', reason: 'no_address' }],
  );
  expect(await mark([three])).toEqual(keys([three]));
  expect((await rowsOf(campaign)).map(({ state }) => state)).toEqual([
    'pending',
    'failed',
    'sending',
  ]);
});
