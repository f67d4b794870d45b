import type { SearchItem } from '@tidings/api-spec/endpoints/search';
import type { Channel } from '@tidings/contracts/channels/channels';
import type { ErrorCode } from '@tidings/contracts/errors/error-codes';
import type {
  DeadLetterErrorClass,
  DeadLetterStatus,
} from '@tidings/contracts/ingest/dead-letters';
import type { DeliveryState } from '@tidings/contracts/push/deliveries';
import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import { findCampaignsById } from '../campaigns/find-campaigns.ts';
import { readCampaignItems } from './campaigns.ts';
import type { Search } from './question.ts';
import { findWebhookDelivery } from './webhooks.ts';

const statement = statementsIn(import.meta.dirname);

type Of<Kind extends SearchItem['kind']> = Extract<SearchItem, { readonly kind: Kind }>;

/** What has a UUID: each is found by a key. A delivery comes with its campaign. */
export const searchIds: Search = ({ applicationId, uuid }) => {
  if (uuid === null) return null;
  const asked = [applicationId, uuid] as const;
  return async (sql) => {
    const ids = await findCampaignsById(sql, ...asked);
    const campaigns = await readCampaignItems(sql, applicationId, ids);
    const title = campaigns[0]?.title ?? null;
    return {
      items: [
        ...(await findDelivery(sql, asked)).map((found) => ({ ...found, detail: title })),
        ...campaigns,
        ...(await findRequest(sql, asked)),
        ...(await findWebhookDelivery(sql, asked)),
        ...(await findDeadLetter(sql, asked)),
      ],
    };
  };
};

/** The application, and the id. */
type Asked = readonly [applicationId: string, id: string];

async function findDelivery(sql: Sql, asked: Asked): Promise<Of<'delivery'>[]> {
  const { rows } = await sql.query<{
    id: string;
    campaign_id: string;
    channel: Channel;
    state: DeliveryState;
    created_at: Date;
    custom_user_id: string;
  }>(statement('find-delivery'), [...asked]);
  return rows.map((row) => ({
    kind: 'delivery',
    id: row.id,
    title: row.custom_user_id,
    detail: null,
    campaignId: row.campaign_id,
    customUserId: row.custom_user_id,
    channel: row.channel,
    status: row.state,
    createdAt: row.created_at.getTime(),
  }));
}

async function findRequest(sql: Sql, asked: Asked): Promise<Of<'request'>[]> {
  const { rows } = await sql.query<{
    request_id: string;
    received_at: Date;
    message_count: number | null;
    code: ErrorCode | null;
  }>(statement('find-request'), [...asked]);
  return rows.map((row) => ({
    kind: 'request',
    id: row.request_id,
    title: row.request_id,
    detail: row.code,
    outcome: row.code === null ? 'accepted' : 'rejected',
    code: row.code,
    messages: row.message_count,
    receivedAt: row.received_at.getTime(),
  }));
}

async function findDeadLetter(sql: Sql, asked: Asked): Promise<Of<'deadLetter'>[]> {
  const { rows } = await sql.query<{
    id: string;
    consumer: string;
    error_class: DeadLetterErrorClass;
    status: DeadLetterStatus;
    created_at: Date;
  }>(statement('find-dead-letter'), [...asked]);
  return rows.map((row) => ({
    kind: 'deadLetter',
    id: row.id,
    title: row.consumer,
    detail: row.error_class,
    status: row.status,
    createdAt: row.created_at.getTime(),
  }));
}
