import {
  chooseLane,
  EXPRESS_RECIPIENTS_MAX,
  type Channel,
} from '@tidings/contracts/channels/channels';
import { CHUNK_ROWS_MAX } from '@tidings/contracts/ingest/records';
import type { CampaignSource } from '@tidings/contracts/push/campaigns';
import type { Purpose } from '@tidings/contracts/push/purposes';
import type { CampaignNames } from '@tidings/contracts/push/push-names';
import type { PushMessage } from '@tidings/contracts/push/push';
import type { StoredAudience } from '@tidings/contracts/push/push-audience';
import type { StoredWinner } from '@tidings/contracts/push/push-winner';
import type { CampaignTemplate } from '@tidings/contracts/push/templates';
import { stringifyExactJson } from '@tidings/platform';
import { pgArrayLiteral } from '@tidings/postgres/pg-array-literal';
import type { Database } from '@tidings/postgres/database';
import { definePrepared } from '@tidings/postgres/define-prepared';
import { statementsIn } from '@tidings/postgres/statements';
import { findAnswers, type IdempotencyKey, type Repetition } from './idempotency-keys.ts';

const statement = statementsIn(import.meta.dirname);

export type NewCampaign = Partial<CampaignNames> & {
  readonly campaignId: string;
  readonly applicationId: string;
  readonly channel: Channel;
  readonly purpose: Purpose;
  readonly source: Exclude<CampaignSource, 'automation'>;
  /** Integers beyond 2^53 are bigints. */
  readonly message: PushMessage;
  /** The templates that its recipients are split between; null: the message is sent as it is. */
  readonly templates?: readonly CampaignTemplate[] | null;
  /** How it finds the template that most recipients get. */
  readonly winner?: StoredWinner | null;
  /** As sent by the caller; duplicates collapse to one. */
  readonly recipients: readonly string[];
  /** Whom a campaign to a segment is for, without `recipients`: they are read when it begins. */
  readonly audience?: StoredAudience;
  /** The account that it goes by; absent: one is chosen for each recipient. */
  readonly account?: string;
  /** When it begins; absent: at once. `isLater`: not before `sendAt`, milliseconds. */
  readonly schedule?: {
    readonly sendAt: number;
    readonly sendAtLocal: string | null;
    readonly isLater: boolean;
  };
  readonly createdBy: string;
  readonly requestId: string;
  /** Trace id of the request: 32 hexadecimal digits. */
  readonly traceId: string;
  /** W3C `traceparent` of the request's span; absent if it is not traced. */
  readonly traceparent?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** Nothing is sent after this time. */
  readonly expiresAt: number;
  /** Detects repeated requests; absent: every request is a new campaign. */
  readonly idempotency?: IdempotencyKey;
};

/**
 * The lane of a campaign whose recipients are not read yet. No version that cannot read them looks
 * at it: without chunks, such a campaign would be complete.
 */
const SNAPSHOT_LANE = 'snapshot';
/** The lane of a campaign until it begins. Its chunks have their own. */
const SCHEDULED_LANE = 'scheduled';
/**
 * The lane of a campaign with a local time while it is expanded; its chunks are of the bulk lane.
 * The version before, which would make all its deliveries due at once, does not look at it.
 */
const LOCAL_LANE = 'local';
/** As `LOCAL_LANE`, of a campaign that holds recipients back: the version before would not. */
const TRIAL_LANE = 'trial';

/**
 * `replayed`: this key exists with the same body; `answer` is the original response. `conflict`:
 * the key exists with another body. `isUntested`: no test send of the channel has succeeded.
 */
export type AcceptedCampaign =
  | { readonly outcome: 'accepted'; readonly isUntested: boolean }
  | Repetition;

/** A key can be purged between the insert that found it taken and the read. */
const TRIES_MAX = 3;

/**
 * Stores campaigns with their recipients, all or none, in one statement. After it they are durable
 * and readable. Of concurrent campaigns with the same key, one is stored. Results are in the given
 * order. @callers campaign-intake
 */
export async function acceptCampaigns(
  db: Pick<Database, 'sql'>,
  campaigns: readonly NewCampaign[],
  tries = TRIES_MAX,
): Promise<AcceptedCampaign[]> {
  const stored = await insertCampaigns(db, campaigns);
  const repeated = campaigns.filter(({ campaignId }) => !stored.has(campaignId));
  const outcomes = new Map<string, AcceptedCampaign>(
    [...stored].map(([id, isUntested]) => [id, { outcome: 'accepted', isUntested }]),
  );
  if (repeated.length > 0) {
    // A separate statement, so that it sees what was committed while the first one waited.
    const answers = await findAnswers(db, repeated);
    for (const [campaignId, outcome] of answers) outcomes.set(campaignId, outcome);
    const forgotten = repeated.filter(({ campaignId }) => !answers.has(campaignId));
    if (forgotten.length > 0) {
      if (tries === 1) throw new Error('an idempotency key is neither taken nor free');
      const again = await acceptCampaigns(db, forgotten, tries - 1);
      for (const [index, { campaignId }] of forgotten.entries())
        outcomes.set(campaignId, again[index] ?? { outcome: 'conflict' });
    }
  }
  return campaigns.map(({ campaignId }) => outcomes.get(campaignId) ?? { outcome: 'conflict' });
}

/** Stores one campaign without a key. @callers api */
export async function acceptCampaign(
  db: Database,
  campaign: Omit<NewCampaign, 'idempotency'>,
): Promise<void> {
  await acceptCampaigns(db, [campaign]);
}

// Keys are sorted, so that concurrent statements cannot deadlock.
const INSERT = definePrepared(statement('accept-campaigns'));

/**
 * Returns the stored campaigns by id: those with a free key, the first of each key, and those
 * without a key.
 */
async function insertCampaigns(
  db: Pick<Database, 'sql'>,
  campaigns: readonly NewCampaign[],
): Promise<Map<string, boolean>> {
  const recipients = campaigns.map((campaign) => [...new Set(campaign.recipients)]);
  const chunks = campaigns.flatMap(({ campaignId, templates = null }, index) =>
    splitIntoChunks(campaignId, recipients[index] ?? [], templates !== null),
  );
  const { rows } = await db.sql.query<{ id: string; is_untested: boolean }>(INSERT, [
    pgArrayLiteral(campaigns.map((campaign) => campaign.campaignId)),
    pgArrayLiteral(campaigns.map((campaign) => campaign.applicationId)),
    pgArrayLiteral(campaigns.map((campaign) => campaign.channel)),
    pgArrayLiteral(
      campaigns.map((campaign, index) => laneOf(campaign, recipients[index]?.length ?? 0)),
    ),
    pgArrayLiteral(campaigns.map((campaign) => campaign.purpose)),
    pgArrayLiteral(campaigns.map((campaign) => campaign.source)),
    `[${campaigns.map(storedMessage).join(',')}]`,
    pgArrayLiteral(campaigns.map((campaign) => campaign.recipients.length)),
    pgArrayLiteral(recipients.map((unique) => unique.length)),
    campaigns.map((campaign) => campaign.createdBy),
    pgArrayLiteral(campaigns.map((campaign) => campaign.requestId)),
    pgArrayLiteral(campaigns.map((campaign) => campaign.createdAt)),
    pgArrayLiteral(campaigns.map((campaign) => campaign.expiresAt)),
    campaigns.map((campaign) => campaign.idempotency?.key ?? null),
    campaigns.map((campaign) => campaign.idempotency?.bodyHash ?? null),
    campaigns.map((campaign) => campaign.idempotency?.answer ?? null),
    pgArrayLiteral(chunks.map((chunk) => chunk.campaignId)),
    pgArrayLiteral(chunks.map((chunk) => chunk.chunkNo)),
    `[${chunks.map((chunk) => JSON.stringify(chunk.recipients)).join(',')}]`,
    pgArrayLiteral(campaigns.map((campaign) => campaign.traceId)),
    campaigns.map((campaign) => campaign.traceparent ?? null),
    campaigns.map(({ audience }) => (audience === undefined ? null : JSON.stringify(audience))),
    campaigns.map(({ schedule }) => schedule?.sendAt ?? null),
    campaigns.map(({ schedule }) => schedule?.sendAtLocal ?? null),
    EXPRESS_RECIPIENTS_MAX,
    campaigns.map(({ templates = null }) =>
      templates === null ? null : stringifyExactJson(templates),
    ),
    campaigns.map(({ account }) => account ?? null),
    campaigns.map(({ name }) => name ?? null),
    campaigns.map(({ tags }) => JSON.stringify(tags ?? [])),
    campaigns.map(({ winner = null }) => (winner === null ? null : JSON.stringify(winner))),
  ]);
  return new Map(rows.map((row) => [row.id, row.is_untested]));
}

function laneOf({ audience, schedule, winner = null }: NewCampaign, unique: number): string {
  if (schedule?.isLater === true) return SCHEDULED_LANE;
  if (audience !== undefined) return SNAPSHOT_LANE;
  if (winner !== null) return TRIAL_LANE;
  return (schedule?.sendAtLocal ?? null) === null ? chooseLane(unique) : LOCAL_LANE;
}

/** A personalised campaign has its messages in its templates, where older versions do not look. */
const storedMessage = ({ message, templates = null }: NewCampaign): string =>
  templates === null ? stringifyExactJson(message) : 'null';

type NewChunk = {
  readonly campaignId: string;
  readonly chunkNo: number;
  readonly recipients: readonly string[];
};

/** Chunks of a personalised campaign have negative numbers, which workers that cannot render skip. */
function splitIntoChunks(
  campaignId: string,
  unique: readonly string[],
  isPersonalised: boolean,
): NewChunk[] {
  const count = Math.ceil(unique.length / CHUNK_ROWS_MAX);
  return Array.from({ length: count }, (_, index) => ({
    campaignId,
    chunkNo: isPersonalised ? index - count : index,
    recipients: unique.slice(index * CHUNK_ROWS_MAX, (index + 1) * CHUNK_ROWS_MAX),
  }));
}
