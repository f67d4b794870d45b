import type { Channel } from '@tidings/contracts/channels/channels';
import type { Warning } from '@tidings/contracts/errors/error-codes';
import { computeCampaignResult } from '@tidings/contracts/push/campaign-result';
import type {
  CampaignCounts,
  CampaignFailureReason,
  CampaignRecord,
  CampaignSource,
  CampaignStatus,
} from '@tidings/contracts/push/campaigns';
import { SUCCESS_STATES, type SuccessState } from '@tidings/contracts/push/deliveries';
import type { CampaignAudience, StoredAudience } from '@tidings/contracts/push/push-audience';
import type { CampaignWinner } from '@tidings/contracts/push/push-winner';
import type { CampaignSchedule } from '@tidings/contracts/push/push-schedule';
import type { Campaign } from '@tidings/database/client';
import { parseExactJson, type Clock } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import { COUNTED_NOTES, TALLIES } from '@tidings/delivery/counting';
import { ofOrigin, originOf, type AutomationFilter } from './campaign-origin.ts';
import {
  createSendLatencyCache,
  findSendLatency,
  type FindSendLatency,
} from './send-latency-cache.ts';

const statement = statementsIn(import.meta.dirname);

/** The message is read separately: Prisma's JSON would round long integers. */
type CampaignRow = Omit<Campaign, 'message' | 'templates' | 'searchText'>;
const WITHOUT_MESSAGE = { message: true, templates: true, searchText: true } as const;

type CounterRow = {
  readonly campaign_id: string;
  readonly state: string;
  readonly reason: string;
  readonly n: number;
  readonly first_at: Date | null;
  readonly last_at: Date | null;
};

/** Reads the reports of campaigns, of which clients read some all the time. */
export interface CampaignReports {
  /**
   * The report of one campaign of this application, or null. Integers beyond 2^53 in its message
   * are bigints.
   */
  read(applicationId: string, campaignId: string): Promise<CampaignRecord | null>;
  /** Its changing part, or null. */
  readProgress(applicationId: string, campaignId: string): Promise<CampaignProgress | null>;
}

/** Send latencies are up to 5 s old until the campaign completes; all else is as of now. */
export function createCampaignReports({
  db,
  clock,
}: {
  readonly db: Database;
  readonly clock: Pick<Clock, 'monotonicMs'>;
}): CampaignReports {
  return reportsBy(db, createSendLatencyCache(clock));
}

/** As `CampaignReports.read`, with send latencies as of now. */
export async function readCampaign(
  db: Database,
  applicationId: string,
  campaignId: string,
): Promise<CampaignRecord | null> {
  return reportsBy(db, findSendLatency).read(applicationId, campaignId);
}

/**
 * The changing part of the report. Includes send latencies before the campaign completes; lists
 * leave them out.
 */
export type CampaignProgress = Omit<CampaignRecord, 'message' | 'templates'>;
type Messages = ReadonlyMap<string, Pick<CampaignRecord, 'message' | 'templates'>>;

function reportsBy(db: Database, latencyOf: FindSendLatency): CampaignReports {
  async function readProgress(
    applicationId: string,
    campaignId: string,
  ): Promise<CampaignProgress | null> {
    const row = await (
      await db.prisma()
    ).campaign.findFirst({ where: { id: campaignId, applicationId }, omit: WITHOUT_MESSAGE });
    if (row === null) return null;
    const record = toProgress(row, await readCounters(db, [campaignId]), {
      passed: await readLocalTimePassed(db, [row]),
      winners: await readWinners(db, [row]),
    });
    if (record.timing.p50Ms !== null || record.timing.firstSentAt === null) return record;
    const { recipientsUnique } = row;
    const latency = await latencyOf(db.sql, { id: campaignId, recipientsUnique });
    return { ...record, timing: { ...record.timing, ...latency } };
  }

  return {
    async read(applicationId, campaignId) {
      const progress = await readProgress(applicationId, campaignId);
      return progress && withMessage(progress, await readMessages(db, [campaignId]));
    },
    readProgress,
  };
}

/** A page of campaigns, newest first; the cursor is the last campaign's id. */
export async function listCampaigns(
  db: Database,
  applicationId: string,
  page: {
    readonly cursor?: string;
    readonly limit: number;
    /** Only these. */
    readonly ids?: readonly string[];
    readonly channel?: Channel;
    readonly status?: CampaignStatus;
    readonly source?: CampaignSource;
    readonly tag?: string;
    readonly automation?: AutomationFilter;
  },
): Promise<CampaignRecord[]> {
  const { cursor, limit, ids, channel, status, tag } = page;
  const rows = await (
    await db.prisma()
  ).campaign.findMany({
    where: {
      applicationId,
      ...(channel && { channel }),
      ...(status && inStatus(status)),
      ...ofOrigin(page),
      // The index has the campaigns with tags alone.
      ...(tag && { tags: { has: tag }, NOT: { tags: { isEmpty: true } } }),
      id: { ...(cursor && { lt: cursor }), ...(ids && { in: [...ids] }) },
    },
    orderBy: { id: 'desc' },
    take: limit,
    omit: WITHOUT_MESSAGE,
  });
  const messages = await readMessages(
    db,
    rows.map((row) => row.id),
  );
  const counters = await readCounters(
    db,
    rows.map((row) => row.id),
  );
  const further = {
    passed: await readLocalTimePassed(db, rows),
    winners: await readWinners(db, rows),
  };
  return rows.map((row) =>
    withMessage(
      toProgress(
        row,
        counters.filter((counter) => counter.campaign_id === row.id),
        further,
      ),
      messages,
    ),
  );
}

async function readMessages(db: Database, campaignIds: readonly string[]): Promise<Messages> {
  const { rows } = await db.sql.query<{
    id: string;
    message: string;
    templates: unknown;
  }>(statement('read-messages'), [campaignIds]);
  return new Map(
    rows.map(({ id, message, templates }) => [
      id,
      {
        message: parseExactJson(message) as CampaignRecord['message'],
        templates: templates as CampaignRecord['templates'],
      },
    ]),
  );
}

function withMessage(
  {
    campaignId,
    name,
    tags,
    channel,
    purpose,
    source,
    automation,
    status,
    failureReason,
    ...rest
  }: CampaignProgress,
  messages: Messages,
): CampaignRecord {
  return {
    campaignId,
    name,
    tags,
    channel,
    purpose,
    source,
    automation,
    status,
    failureReason,
    ...(messages.get(campaignId) ?? { message: { body: '' }, templates: null }),
    ...rest,
  };
}

async function readCounters(db: Database, campaignIds: readonly string[]): Promise<CounterRow[]> {
  const { rows } = await db.sql.query<CounterRow>(statement('read-counters'), [campaignIds]);
  return rows;
}

type FurtherParts = {
  readonly passed: LocalTimePassed;
  readonly winners: ReadonlyMap<string, CampaignWinner>;
};

function toProgress(
  row: CampaignRow,
  counters: readonly CounterRow[],
  { passed, winners }: FurtherParts,
): CampaignProgress {
  const inState = (state: string): readonly CounterRow[] =>
    counters.filter((counter) => counter.state === state);
  // An update may arrive before the provider's response: the state is then `delivered` or later at
  // once. Inbox messages go directly to `displayed`.
  const sentRows = SUCCESS_STATES.map(inState).find((rows) => rows.length > 0) ?? [];
  const sentAt = sentRows
    .flatMap((counter) => [counter.first_at, counter.last_at])
    .filter((at) => at !== null)
    .map((at) => at.getTime());
  const startedAt = row.startedAt?.getTime() ?? null;
  const completedAt = row.completedAt?.getTime() ?? null;
  const status = statusOf(row);
  const counts = toCounts(row, counters);
  const byReason = (state: string): Record<string, number> =>
    Object.fromEntries(
      inState(state)
        .filter(({ n }) => n > 0)
        .map(({ reason, n }) => [reason, n]),
    );
  const failures: CampaignRecord['failures'] = byReason('failed');
  return {
    campaignId: row.id,
    name: row.name,
    tags: row.tags,
    channel: row.channel as Channel,
    purpose: row.purpose as CampaignRecord['purpose'],
    ...originOf(row),
    status,
    failureReason: row.failureReason as CampaignFailureReason | null,
    winner: winners.get(row.id) ?? null,
    recipients: { requested: row.recipientsRequested, unique: row.recipientsUnique },
    audience: toAudience(row),
    schedule: toSchedule(row, passed),
    recipientsDeletedAt: row.recipientsForgottenAt?.getTime() ?? null,
    counts,
    result: computeCampaignResult(status, counts, failures),
    failures,
    bounces: byReason('bounced'),
    timing: {
      createdAt: row.createdAt.getTime(),
      startedAt,
      firstSentAt: sentAt.length === 0 ? null : Math.min(...sentAt),
      lastSentAt: sentAt.length === 0 ? null : Math.max(...sentAt),
      completedAt,
      durationMs: startedAt === null || completedAt === null ? null : completedAt - startedAt,
      p50Ms: row.p50Ms === null ? null : Number(row.p50Ms),
      p95Ms: row.p95Ms === null ? null : Number(row.p95Ms),
    },
    createdBy: row.createdBy,
    requestId: row.requestId,
  };
}

/** A scheduled campaign is queued, in a lane of its own. */
const SCHEDULED = { status: 'queued', lane: 'scheduled' } as const;

const statusOf = ({ status, lane }: Pick<CampaignRow, 'status' | 'lane'>): CampaignStatus =>
  status === SCHEDULED.status && lane === SCHEDULED.lane ? 'scheduled' : (status as CampaignStatus);

const inStatus = (status: CampaignStatus) => {
  if (status === 'scheduled') return SCHEDULED;
  return status === 'queued' ? { status, lane: { not: SCHEDULED.lane } } : { status };
};

type LocalTimePassed = ReadonlyMap<string, number>;

/** By campaign id: recipients whose local time had passed. */
async function readLocalTimePassed(
  db: Database,
  rows: readonly Pick<CampaignRow, 'id' | 'sendAtLocal'>[],
): Promise<LocalTimePassed> {
  const ids = rows.filter(({ sendAtLocal }) => sendAtLocal !== null).map(({ id }) => id);
  if (ids.length === 0) return new Map();
  const { rows: sums } = await db.sql.query<{ id: string; passed: number }>(
    statement('read-local-time-passed'),
    [ids],
  );
  return new Map(sums.map(({ id, passed }) => [id, passed]));
}

/** By campaign id, of those that search one. */
async function readWinners(
  db: Database,
  campaigns: readonly Pick<CampaignRow, 'id' | 'winner'>[],
): Promise<Map<string, CampaignWinner>> {
  const ids = campaigns.filter(({ winner }) => winner !== null).map(({ id }) => id);
  if (ids.length === 0) return new Map();
  const { rows } = await db.sql.query<{ id: string; winner: unknown }>(statement('read-winners'), [
    ids,
  ]);
  return new Map(rows.map(({ id, winner }) => [id, winner as CampaignWinner]));
}

function toSchedule(
  { id, sendAt, sendAtLocal }: CampaignRow,
  passed: LocalTimePassed,
): CampaignSchedule | null {
  return sendAt === null
    ? null
    : { sendAt: sendAt.getTime(), sendAtLocal, localTimePassed: passed.get(id) ?? 0 };
}

const EMPTY_SEGMENT: Warning = {
  code: 'empty_segment',
  pointer: '/segment',
  detail: 'No user was in the segment when the campaign began.',
};

const SLOW_SEGMENT: Warning = {
  code: 'slow_segment',
  pointer: '/segment',
  detail: 'The first try to read its users took too long. Shorten the windows of its condition.',
};

function toAudience({
  audience,
  snapshotAt,
  snapshotSlowAt,
  recipientsUnique,
}: CampaignRow): CampaignAudience | null {
  if (audience === null) return null;
  return {
    ...(audience as StoredAudience),
    snapshotAt: snapshotAt?.getTime() ?? null,
    warnings: [
      ...(snapshotAt !== null && recipientsUnique === 0 ? [EMPTY_SEGMENT] : []),
      ...(snapshotSlowAt === null ? [] : [SLOW_SEGMENT]),
    ],
  };
}

/**
 * Unexpanded recipients count as pending, or canceled with their campaign, so the sum is always the
 * total.
 */
function toCounts(
  { recipientsUnique: total, status }: CampaignRow,
  counters: readonly CounterRow[],
): CampaignCounts {
  const of = (state: string): number =>
    counters
      .filter((counter) => counter.state === state)
      .reduce((sum, counter) => sum + counter.n, 0);
  const isNote = (state: string): boolean =>
    ([...COUNTED_NOTES, ...TALLIES] as readonly string[]).includes(state);
  const unexpanded =
    total -
    counters.filter(({ state }) => !isNote(state)).reduce((sum, counter) => sum + counter.n, 0);
  const isCanceled = status === 'canceled';
  // Each later success state counts in all earlier ones.
  const atLeast = Object.fromEntries(
    SUCCESS_STATES.map((state, index) => [
      state,
      SUCCESS_STATES.slice(index).reduce((sum, later) => sum + of(later), 0),
    ]),
  ) as Record<SuccessState, number>;
  return {
    total,
    pending: of('pending') + (isCanceled ? 0 : unexpanded),
    waiting: of('waiting'),
    ...atLeast,
    successful: atLeast.sent,
    failed: of('failed'),
    unknown: of('unknown'),
    expired: of('expired'),
    canceled: of('canceled') + (isCanceled ? unexpanded : 0),
    unsubscribed: of('unsubscribed'),
    complained: of('complained'),
    machineOpened: of('machine_opened'),
    machineClicked: of('machine_clicked'),
  };
}
