import { CHUNK_ROWS_MAX, laneOf, type CampaignSource, type Channel, type Purpose, type PushMessage } from '@tidings/contracts';
import type { Database } from '../database.ts';

export type NewCampaign = {
  readonly campaignId: string;
  readonly applicationId: string;
  readonly channel: Channel;
  readonly purpose: Purpose;
  readonly source: CampaignSource;
  readonly message: PushMessage;
  /** As sent by the caller; repeated ids collapse to one. */
  readonly recipients: readonly string[];
  readonly createdBy: string;
  readonly requestId: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** After this nothing of it is sent any more. */
  readonly expiresAt: number;
};

/** Stores a campaign with its recipients in one transaction; from then on it is durable and readable. @callers gateway, dashboard */
export async function acceptCampaign(db: Database, campaign: NewCampaign): Promise<{ readonly unique: number }> {
  const unique = [...new Set(campaign.recipients)];
  const chunks = Array.from({ length: Math.ceil(unique.length / CHUNK_ROWS_MAX) }, (_, chunkNo) =>
    unique.slice(chunkNo * CHUNK_ROWS_MAX, (chunkNo + 1) * CHUNK_ROWS_MAX),
  );
  // One statement, one round trip: its parts commit together.
  await db.sql.query(
    `with campaign as (
       insert into campaigns (id, application_id, channel, lane, purpose, source, status, message, recipients_requested,
                              recipients_unique, created_by, request_id, created_at, expires_at)
       values ($1, $2, $3, $4, $5, $6, 'queued', $7::jsonb, $8, $9, $10, $11,
               to_timestamp($12::float8 / 1000), to_timestamp($13::float8 / 1000))
       returning id),
     log as (insert into campaign_events (campaign_id, type) select id, 'campaign.queued' from campaign)
     insert into campaign_chunks (campaign_id, chunk_no, recipients)
     select campaign.id, ordinality - 1, value from campaign, jsonb_array_elements($14::jsonb) with ordinality`,
    [
      campaign.campaignId,
      campaign.applicationId,
      campaign.channel,
      laneOf(unique.length),
      campaign.purpose,
      campaign.source,
      JSON.stringify(campaign.message),
      campaign.recipients.length,
      unique.length,
      campaign.createdBy,
      campaign.requestId,
      campaign.createdAt,
      campaign.expiresAt,
      JSON.stringify(chunks),
    ],
  );
  return { unique: unique.length };
}
