import type { ChunkRef } from '@tidings/contracts/ingest/records';
import { acceptCampaign } from '@tidings/delivery/accept';
import { claimChunks } from '@tidings/delivery/claims';
import type { Database } from '@tidings/postgres/database';
import { expandAll, newCampaign } from '@tidings/testing';
import { backendCpu } from '../../installation/backend-cpu.ts';
import type { PartReport } from '../../report/figures.ts';
import { median } from '../../report/median.ts';
import { userOf } from '../channels.ts';
import type { DeliveryBench } from '../context.ts';
import { createFreshDatabase, type FreshDatabase } from '../fresh-database.ts';

const LARGE_OF_SMALL_MOST = 1.3;
const FIRST_CAMPAIGNS = { campaigns: 3, recipients: 3 } as const;
/** One small campaign has too few rows for a steady figure. */
const SMALL_CAMPAIGNS = 10;
const CLAIM = { channel: 'EMAIL', owner: 'bench', leaseMs: 600_000, rowsMax: 200 } as const;
const MICROSECONDS = 1_000_000;

type Round = { readonly small: number; readonly large: number };

/**
 * CPU of Postgres to claim a delivery on tables that were never analyzed, in a large campaign and
 * in small ones. A worker keeps the plan that it made on empty tables; if that plan read the whole
 * campaign for each chunk, the cost of a row would grow with the campaign.
 */
export async function measureFresh(run: DeliveryBench): Promise<PartReport> {
  const { rounds: count, fresh } = run.sizes;
  const rounds: Round[] = [];
  for (let round = 1; round <= count; round += 1) {
    console.error(`  a new database, ${round} of ${count} …`);
    const database = await createFreshDatabase(run.bench, fresh.large);
    try {
      rounds.push(await measureRound(database, fresh));
    } finally {
      await database.drop();
    }
  }
  const ratios = rounds.map(({ small, large }) => large / small);
  return {
    title: `Claims on tables that were never analyzed`,
    figures: [
      {
        name: `a row of ${fresh.large} recipients : of ${fresh.small}`,
        value: median(ratios),
        unit: 'ratio',
        goal: { atMost: LARGE_OF_SMALL_MOST },
        note: `rounds: ${ratios.map((ratio) => ratio.toFixed(2)).join(', ')}`,
      },
      {
        name: `CPU of Postgres, per row of ${fresh.small}`,
        value: median(rounds.map(({ small }) => small)) * MICROSECONDS,
        unit: 'microseconds',
      },
      {
        name: `CPU of Postgres, per row of ${fresh.large}`,
        value: median(rounds.map(({ large }) => large)) * MICROSECONDS,
        unit: 'microseconds',
      },
    ],
    data: { rounds },
  };
}

async function measureRound(
  database: FreshDatabase,
  sizes: { readonly small: number; readonly large: number },
): Promise<Round> {
  // The worker makes its plan.
  await claimCampaigns(database, FIRST_CAMPAIGNS);
  return {
    small: await claimCampaigns(database, { campaigns: SMALL_CAMPAIGNS, recipients: sizes.small }),
    large: await claimCampaigns(database, { campaigns: 1, recipients: sizes.large }),
  };
}

/** CPU seconds of the worker's connection per claimed row. */
async function claimCampaigns(
  { worker, db, applicationId }: FreshDatabase,
  { campaigns, recipients }: { readonly campaigns: number; readonly recipients: number },
): Promise<number> {
  const chunks: ChunkRef[] = [];
  for (let campaign = 0; campaign < campaigns; campaign += 1) {
    const made = newCampaign({
      applicationId,
      recipients: Array.from({ length: recipients }, (_, index) => userOf(index)),
    });
    await acceptCampaign(db, made);
    await expandAll(db, made.campaignId);
    chunks.push(...(await listChunks(db, made.campaignId)));
  }
  const before = await backendCpu(worker);
  let claimed = 0;
  for (const chunk of chunks) claimed += (await claimChunks(worker, [chunk], CLAIM)).flat().length;
  const seconds = (await backendCpu(worker)) - before;
  if (claimed !== campaigns * recipients)
    throw new Error(`${claimed} of ${campaigns * recipients} deliveries were claimed`);
  return seconds / claimed;
}

async function listChunks(db: Database, campaignId: string): Promise<ChunkRef[]> {
  const { rows } = await db.sql.query<{ chunk_no: number }>(
    'select chunk_no from campaign_chunks where campaign_id = $1 order by chunk_no',
    [campaignId],
  );
  return rows.map((row) => ({ campaignId, chunkNo: row.chunk_no }));
}
