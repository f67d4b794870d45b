import { eventually } from '@tidings/testing';
import { costFigures, costsBetween, type Costs } from '../../installation/costs.ts';
import type { PartReport } from '../../report/figures.ts';
import { median } from '../../report/median.ts';
import type { DeliveryBench } from '../context.ts';

const SHARE_OF_INSERT_LEAST_PERCENT = 50;
const LOOK_EVERY_MS = 20;
const EXPANDED_WITHIN_MS = 300_000;
const BARE_TABLE = 'bare_deliveries';

type Round = {
  readonly perSecond: number;
  readonly barePerSecond: number;
  readonly costs: Costs;
};

/**
 * From an accepted push to its deliveries, compared with one INSERT … SELECT of the same rows into
 * an equal table. Nothing is sent meanwhile.
 */
export async function measureExpansion(run: DeliveryBench): Promise<PartReport> {
  const { sizes } = run;
  const rounds: Round[] = [];
  for (let round = 1; round <= sizes.rounds; round += 1) {
    console.error(`  ${sizes.expanded} recipients, ${round} of ${sizes.rounds} …`);
    rounds.push(await measureRound(run));
  }
  const shares = rounds.map(({ perSecond, barePerSecond }) => (perSecond / barePerSecond) * 100);
  return {
    title: `Expansion of ${sizes.expanded} recipients`,
    figures: [
      {
        name: 'share of a bare INSERT … SELECT',
        value: median(shares),
        unit: 'percent',
        goal: { atLeast: SHARE_OF_INSERT_LEAST_PERCENT },
        note: `rounds: ${shares.map((share) => share.toFixed(1)).join(', ')}`,
      },
      {
        name: 'recipients expanded',
        value: median(rounds.map(({ perSecond }) => perSecond)),
        unit: 'perSecond',
      },
      {
        name: 'rows by INSERT … SELECT',
        value: median(rounds.map(({ barePerSecond }) => barePerSecond)),
        unit: 'perSecond',
      },
      ...costFigures(
        rounds.map(({ costs }) => costs),
        'recipient',
      ),
    ],
    data: { rounds },
  };
}

async function measureRound({
  bench: { db },
  push,
  sizes,
  readCounters,
}: DeliveryBench): Promise<Round> {
  const before = await readCounters();
  const { campaignId } = await push({ channel: 'EMAIL', recipients: sizes.expanded });
  const acceptedAt = performance.now();
  await eventually(
    async () => {
      const { rows } = await db.sql.query<{ expanded_at: Date | null }>(
        'select expanded_at from campaigns where id = $1',
        [campaignId],
      );
      if (!(rows[0]?.expanded_at instanceof Date)) throw new Error('the campaign is not expanded');
    },
    { timeoutMs: EXPANDED_WITHIN_MS, intervalMs: LOOK_EVERY_MS },
  );
  const seconds = (performance.now() - acceptedAt) / 1000;
  const costs = costsBetween(before, await readCounters(), sizes.expanded);

  await db.sql.query(`create table ${BARE_TABLE} (like deliveries including all)`);
  const startedAt = performance.now();
  const { rowCount } = await db.sql.query(
    `insert into ${BARE_TABLE} select * from deliveries where campaign_id = $1`,
    [campaignId],
  );
  const bareSeconds = (performance.now() - startedAt) / 1000;
  if (rowCount !== sizes.expanded)
    throw new Error(`${sizes.expanded} recipients gave ${rowCount} deliveries`);

  await db.sql.query(`drop table ${BARE_TABLE}`);
  // Deleted, so that nothing is sent when the worker runs again.
  for (const table of ['deliveries', 'campaign_chunks', 'campaign_counters'])
    await db.sql.query(`delete from ${table} where campaign_id = $1`, [campaignId]);
  await db.sql.query('delete from campaigns where id = $1', [campaignId]);
  return {
    perSecond: sizes.expanded / seconds,
    barePerSecond: sizes.expanded / bareSeconds,
    costs,
  };
}
