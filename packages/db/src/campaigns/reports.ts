import {
  SUCCESS_STATES,
  type CampaignCounts,
  type CampaignRecord,
  type CampaignStatus,
  type Channel,
} from '@tidings/contracts';
import { parseExactJson } from '@tidings/platform';
import type { Database } from '../database.ts';
import type { Campaign } from '../generated/client.ts';

/** The message is read by itself: Prisma's JSON would round its long integers. */
type CampaignRow = Omit<Campaign, 'message'>;
const WITHOUT_MESSAGE = { message: true } as const;

type CounterRow = { readonly campaign_id: string; readonly state: string; readonly reason: string; readonly n: number; readonly first_at: Date; readonly last_at: Date };

/** The record of one campaign of this application, or null. Integers of its message beyond 2^53 are bigints. */
export async function readCampaign(db: Database, applicationId: string, campaignId: string): Promise<CampaignRecord | null> {
  const row = await db.prisma.campaign.findFirst({ where: { id: campaignId, applicationId }, omit: WITHOUT_MESSAGE });
  if (row === null) return null;
  return toCampaignRecord(row, await readMessages(db, [campaignId]), await readCounters(db, [campaignId]));
}

/** A page of campaigns, newest first; the cursor is the last campaign's id. */
export async function listCampaigns(
  db: Database,
  applicationId: string,
  page: {
    readonly cursor?: string;
    readonly limit: number;
    readonly channel?: Channel;
    readonly status?: CampaignStatus;
    readonly source?: string;
  },
): Promise<CampaignRecord[]> {
  const { cursor, limit, channel, status, source } = page;
  const rows = await db.prisma.campaign.findMany({
    where: {
      applicationId,
      ...(channel && { channel }),
      ...(status && { status }),
      ...(source && { source }),
      ...(cursor && { id: { lt: cursor } }),
    },
    orderBy: { id: 'desc' },
    take: limit,
    omit: WITHOUT_MESSAGE,
  });
  const messages = await readMessages(db, rows.map((row) => row.id));
  const counters = await readCounters(db, rows.map((row) => row.id));
  return rows.map((row) => toCampaignRecord(row, messages, counters.filter((counter) => counter.campaign_id === row.id)));
}

async function readMessages(db: Database, campaignIds: readonly string[]): Promise<Map<string, CampaignRecord['message']>> {
  const { rows } = await db.sql.query<{ id: string; message: string }>('select id, message::text as message from campaigns where id = any($1)', [campaignIds]);
  return new Map(rows.map((row) => [row.id, parseExactJson(row.message) as CampaignRecord['message']]));
}

async function readCounters(db: Database, campaignIds: readonly string[]): Promise<CounterRow[]> {
  const { rows } = await db.sql.query<CounterRow>(
    `select campaign_id, state, reason, sum(n)::float8 as n, min(first_at) as first_at, max(last_at) as last_at
     from campaign_counters where campaign_id = any($1) group by 1, 2, 3`,
    [campaignIds],
  );
  return rows;
}

function toCampaignRecord(row: CampaignRow, messages: ReadonlyMap<string, CampaignRecord['message']>, counters: readonly CounterRow[]): CampaignRecord {
  const inState = (state: string): readonly CounterRow[] => counters.filter((counter) => counter.state === state);
  // A callback that overtakes the provider's answer says delivered at once.
  const sentRows = inState('sent').length > 0 ? inState('sent') : inState('delivered');
  const startedAt = row.startedAt?.getTime() ?? null;
  const completedAt = row.completedAt?.getTime() ?? null;
  return {
    campaignId: row.id,
    channel: row.channel as Channel,
    purpose: row.purpose as CampaignRecord['purpose'],
    source: row.source as CampaignRecord['source'],
    status: row.status as CampaignStatus,
    message: messages.get(row.id) ?? { body: '' },
    recipients: { requested: row.recipientsRequested, unique: row.recipientsUnique },
    counts: toCounts(row.recipientsUnique, counters),
    failures: Object.fromEntries(counters.filter((counter) => counter.state === 'failed' && counter.n > 0).map((counter) => [counter.reason, counter.n])),
    timing: {
      createdAt: row.createdAt.getTime(),
      startedAt,
      firstSentAt: sentRows.length === 0 ? null : Math.min(...sentRows.map((counter) => counter.first_at.getTime())),
      lastSentAt: sentRows.length === 0 ? null : Math.max(...sentRows.map((counter) => counter.last_at.getTime())),
      completedAt,
      durationMs: startedAt === null || completedAt === null ? null : completedAt - startedAt,
      p50Ms: row.p50Ms === null ? null : Number(row.p50Ms),
      p95Ms: row.p95Ms === null ? null : Number(row.p95Ms),
    },
    createdBy: row.createdBy,
    requestId: row.requestId,
  };
}

/** Recipients that are not expanded yet count as pending, so that the sum is the total from the first moment. */
function toCounts(total: number, counters: readonly CounterRow[]): CampaignCounts {
  const of = (state: string): number => counters.filter((counter) => counter.state === state).reduce((sum, counter) => sum + counter.n, 0);
  const expanded = counters.reduce((sum, counter) => sum + counter.n, 0);
  // Each refinement of a success counts in all before it.
  const atLeast = Object.fromEntries(
    SUCCESS_STATES.map((state, index) => [state, SUCCESS_STATES.slice(index).reduce((sum, later) => sum + of(later), 0)]),
  ) as Record<(typeof SUCCESS_STATES)[number], number>;
  return {
    total,
    pending: of('pending') + (total - expanded),
    waiting: of('waiting'),
    ...atLeast,
    successful: atLeast.sent,
    failed: of('failed'),
    unknown: of('unknown'),
    expired: of('expired'),
    canceled: of('canceled'),
    unsubscribed: 0,
    complained: 0,
  };
}
