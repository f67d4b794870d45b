import type { SearchItem } from '@tidings/api-spec/endpoints/search';
import type { WebhookDeliveryState, WebhookKind } from '@tidings/contracts/webhooks';
import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import { readPastedEventId } from './pasted-id.ts';
import type { Search } from './question.ts';

const statement = statementsIn(import.meta.dirname);

/** Newest deliveries of each endpoint among which an event is looked for. */
const SCANNED_MAX = 10_000;

type Row = {
  readonly id: string;
  readonly endpoint_id: string;
  readonly url: string;
  readonly event_id: string;
  readonly type: WebhookKind;
  readonly campaign_id: string | null;
  readonly state: WebhookDeliveryState;
  readonly occurred_at: Date;
};

type WebhookItem = Extract<SearchItem, { readonly kind: 'webhookDelivery' }>;

export async function findWebhookDelivery(
  sql: Sql,
  asked: readonly [applicationId: string, id: string],
): Promise<WebhookItem[]> {
  const { rows } = await sql.query<Row>(statement('find-webhook-delivery'), [...asked]);
  return rows.map(toItem);
}

/** What was sent of the event with this id, to each endpoint. */
export const searchWebhooks: Search = ({ applicationId, text, limit }) => {
  const eventId = readPastedEventId(text);
  if (eventId === null) return null;
  return async (sql) => {
    const { rows } = await sql.query<
      (Row | { readonly [Name in keyof Row]: null }) & { is_cut: boolean }
    >(statement('find-webhook-event'), [applicationId, eventId, SCANNED_MAX, limit]);
    const items = rows.flatMap((row) => (row.id === null ? [] : [toItem(row)]));
    return { items, isCut: items.length === 0 && rows[0]?.is_cut === true };
  };
};

function toItem(row: Row): WebhookItem {
  return {
    kind: 'webhookDelivery',
    id: row.id,
    title: row.type,
    detail: row.url,
    webhookId: row.endpoint_id,
    eventId: row.event_id,
    type: row.type,
    campaignId: row.campaign_id,
    status: row.state,
    occurredAt: row.occurred_at.getTime(),
  };
}
