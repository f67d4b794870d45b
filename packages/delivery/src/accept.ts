import {
  CHUNK_ROWS_MAX,
  laneOf,
  type CampaignSource,
  type Channel,
  type Purpose,
  type PushMessage,
} from '@tidings/contracts';
import { stringifyExactJson } from '@tidings/platform';
import { pgArrayLiteral } from '@tidings/postgres/pg-array-literal';
import type { Database } from '@tidings/postgres/database';
import { definePrepared } from '@tidings/postgres/define-prepared';
import { statementsIn } from '@tidings/postgres/statements';
import { findAnswers, type IdempotencyKey, type Repetition } from './idempotency-keys.ts';

const statement = statementsIn(import.meta.dirname);

export type NewCampaign = {
  readonly campaignId: string;
  readonly applicationId: string;
  readonly channel: Channel;
  readonly purpose: Purpose;
  readonly source: CampaignSource;
  /** Integers beyond 2^53 are bigints. */
  readonly message: PushMessage;
  /** As sent by the caller; repeated ids collapse to one. */
  readonly recipients: readonly string[];
  readonly createdBy: string;
  readonly requestId: string;
  /** Of the request that it came with: 32 hexadecimal digits. */
  readonly traceId: string;
  /** W3C `traceparent` of its span; absent: it is not traced. */
  readonly traceparent?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** After this nothing of it is sent any more. */
  readonly expiresAt: number;
  /** By which a repetition is recognised; absent: it is a campaign of its own. */
  readonly idempotency?: IdempotencyKey;
};

/**
 * `replayed`: a campaign with this key and this body is there already, and was answered so. `conflict`: one with this
 * key and another body is. `isUntested`: it is sent though no test send of the channel has succeeded.
 */
export type AcceptedCampaign =
  | { readonly outcome: 'accepted'; readonly isUntested: boolean }
  | Repetition;

/** A key may be forgotten between the look that found it taken and the one at what it stands for. */
const TRIES_MAX = 3;

/**
 * Stores campaigns with their recipients in one statement: all or none of them. From then on they are durable and
 * readable. Of any number with the same key, here or in other processes, one is stored. Returns what became of each,
 * in the order given. @callers campaign-intake
 */
export async function acceptCampaigns(
  db: Database,
  campaigns: readonly NewCampaign[],
  tries = TRIES_MAX,
): Promise<AcceptedCampaign[]> {
  const stored = await insertCampaigns(db, campaigns);
  const repeated = campaigns.filter(({ campaignId }) => !stored.has(campaignId));
  const outcomes = new Map<string, AcceptedCampaign>(
    [...stored].map(([id, isUntested]) => [id, { outcome: 'accepted', isUntested }]),
  );
  if (repeated.length > 0) {
    // A statement of its own, because it must see what was committed while the first one waited for it.
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

/** One campaign without a key. @callers api */
export async function acceptCampaign(
  db: Database,
  campaign: Omit<NewCampaign, 'idempotency'>,
): Promise<void> {
  await acceptCampaigns(db, [campaign]);
}

// Keys in order, so that statements with the same ones wait for each other and never in a circle.
const INSERT = definePrepared(statement('accept-campaigns'));

/** By id, those that were stored: those whose key was free, the first of each key, and those without one. */
async function insertCampaigns(
  db: Database,
  campaigns: readonly NewCampaign[],
): Promise<Map<string, boolean>> {
  const recipients = campaigns.map((campaign) => [...new Set(campaign.recipients)]);
  const chunks = campaigns.flatMap(({ campaignId }, index) =>
    chunksOf(campaignId, recipients[index] ?? []),
  );
  const { rows } = await db.sql.query<{ id: string; is_untested: boolean }>(INSERT, [
    pgArrayLiteral(campaigns.map((campaign) => campaign.campaignId)),
    pgArrayLiteral(campaigns.map((campaign) => campaign.applicationId)),
    pgArrayLiteral(campaigns.map((campaign) => campaign.channel)),
    pgArrayLiteral(recipients.map((unique) => laneOf(unique.length))),
    pgArrayLiteral(campaigns.map((campaign) => campaign.purpose)),
    pgArrayLiteral(campaigns.map((campaign) => campaign.source)),
    `[${campaigns.map((campaign) => stringifyExactJson(campaign.message)).join(',')}]`,
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
  ]);
  return new Map(rows.map((row) => [row.id, row.is_untested]));
}

type NewChunk = {
  readonly campaignId: string;
  readonly chunkNo: number;
  readonly recipients: readonly string[];
};

function chunksOf(campaignId: string, unique: readonly string[]): NewChunk[] {
  return Array.from({ length: Math.ceil(unique.length / CHUNK_ROWS_MAX) }, (_, chunkNo) => ({
    campaignId,
    chunkNo,
    recipients: unique.slice(chunkNo * CHUNK_ROWS_MAX, (chunkNo + 1) * CHUNK_ROWS_MAX),
  }));
}
