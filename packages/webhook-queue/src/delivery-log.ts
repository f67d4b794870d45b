import type {
  WebhookAttempt,
  WebhookDeliveryState,
  WebhookFailureReason,
  WebhookKind,
} from '@tidings/contracts/webhooks';
import type { WebhookDelivery as WebhookDeliveryRow } from '@tidings/database/client';
import type { Database } from '@tidings/postgres/database';
import type { DueRows } from '@tidings/postgres/due-rows';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/** The delivery log of webhooks, for the retention job. */
export const DUE_WEBHOOK_DELIVERIES: DueRows = {
  table: 'webhook_deliveries',
  time: 'created_at',
  where: 'true',
};

/** One event for one endpoint, and its outcome. Times in milliseconds since the epoch. */
export type WebhookDeliveryRecord = {
  readonly id: string;
  readonly eventId: string;
  readonly type: WebhookKind;
  readonly occurredAt: number;
  readonly data: Readonly<Record<string, unknown>>;
  readonly status: WebhookDeliveryState;
  readonly reason: WebhookFailureReason | null;
  readonly attempts: number;
  readonly attemptLog: readonly WebhookAttempt[];
  /** The beginning of the last response, redacted. */
  readonly lastAnswer: string | null;
  readonly nextAttemptAt: number | null;
  /** The log entry whose event this one repeats. */
  readonly replayOf: string | null;
  readonly createdAt: number;
  readonly settledAt: number | null;
};

type EndpointOfApplication = { readonly applicationId: string; readonly endpointId: string };
type DeliveryOfEndpoint = EndpointOfApplication & { readonly deliveryId: string };

/** A page of an endpoint's log, newest first. The cursor is the id of the last entry. */
export async function listWebhookDeliveries(
  db: Database,
  { applicationId, endpointId }: EndpointOfApplication,
  {
    cursor,
    limit,
    status,
  }: { readonly cursor?: string; readonly limit: number; readonly status?: WebhookDeliveryState },
): Promise<WebhookDeliveryRecord[]> {
  const rows = await (
    await db.prisma()
  ).webhookDelivery.findMany({
    where: {
      endpointId,
      applicationId,
      ...(status && { state: status }),
      ...(cursor && { id: { lt: cursor } }),
    },
    orderBy: { id: 'desc' },
    take: limit,
  });
  return rows.map(toWebhookDelivery);
}

export async function readWebhookDelivery(
  db: Database,
  { applicationId, endpointId, deliveryId }: DeliveryOfEndpoint,
): Promise<WebhookDeliveryRecord | null> {
  const row = await (
    await db.prisma()
  ).webhookDelivery.findFirst({ where: { id: deliveryId, endpointId, applicationId } });
  return row && toWebhookDelivery(row);
}

/**
 * Sends the event of a settled entry again, with the same event id, as a new entry. The original
 * entry stays. `pending` while the entry is not settled, `disabled` when its endpoint is.
 * @callers api
 */
export async function replayWebhookDelivery(
  db: Database,
  { applicationId, endpointId, deliveryId }: DeliveryOfEndpoint,
): Promise<WebhookDeliveryRecord | 'pending' | 'disabled' | null> {
  const { rows } = await db.sql.query<{
    state: WebhookDeliveryState;
    status: string;
    id: string | null;
  }>(statement('replay-webhook-delivery'), [applicationId, endpointId, deliveryId]);
  const [row] = rows;
  if (row === undefined) return null;
  if (row.id !== null)
    return readWebhookDelivery(db, { applicationId, endpointId, deliveryId: row.id });
  return row.status === 'enabled' ? 'pending' : 'disabled';
}

/**
 * Queues a test event for one endpoint, ignoring its filters, and returns the id of its entry.
 * @callers api
 */
export async function queueWebhookPing(
  db: Database,
  { applicationId, endpointId, eventId }: EndpointOfApplication & { readonly eventId: string },
): Promise<{ readonly deliveryId: string } | 'disabled' | null> {
  const { rows } = await db.sql.query<{ status: string; id: string | null }>(
    statement('queue-webhook-ping'),
    [applicationId, endpointId, eventId],
  );
  const [row] = rows;
  if (row === undefined) return null;
  return row.id === null ? 'disabled' : { deliveryId: row.id };
}

function toWebhookDelivery(row: WebhookDeliveryRow): WebhookDeliveryRecord {
  return {
    id: row.id,
    eventId: row.eventId,
    type: row.type as WebhookKind,
    occurredAt: row.occurredAt.getTime(),
    data: row.data as Record<string, unknown>,
    status: row.state as WebhookDeliveryState,
    reason: row.reason as WebhookFailureReason | null,
    attempts: row.attempts,
    attemptLog: row.attemptLog as unknown as WebhookAttempt[],
    lastAnswer: row.lastAnswer,
    nextAttemptAt: row.state === 'pending' ? row.nextAt.getTime() : null,
    replayOf: row.replayOf,
    createdAt: row.createdAt.getTime(),
    settledAt: row.settledAt?.getTime() ?? null,
  };
}
