import type { Channel } from '@tidings/contracts/channels/channels';
import type { DeliveryReason, DeliveryState } from '@tidings/contracts/push/deliveries';
import type { Database, Sql } from '@tidings/postgres/database';
import { definePrepared } from '@tidings/postgres/define-prepared';
import { statementsIn } from '@tidings/postgres/statements';
import type { StateChange } from './change-states.ts';
import { applyDeliveryUpdates } from './delivery-updates.ts';

const statement = statementsIn(import.meta.dirname);

/** A provider's later status of a message, from a callback or a poll. */
export type StatusUpdate = {
  readonly deliveryId: string;
  /** Fence of the attempt: updates for an earlier attempt are ignored. */
  readonly fence: number;
  readonly state: Extract<DeliveryState, 'sent' | 'delivered' | 'failed' | 'expired'>;
  readonly reason?: DeliveryReason;
} & Pick<StateChange, 'providerId' | 'providerCode' | 'providerMessage'>;

/**
 * Applies a status update; returns whether it changed anything. @callers client-api, channel-worker
 */
export async function applyStatusUpdate(
  db: Database,
  { state, ...update }: StatusUpdate,
): Promise<boolean> {
  const [result] = await applyDeliveryUpdates(db, [{ ...update, outcome: state }]);
  return result === 'changed';
}

export type DeliveryOwner = {
  readonly applicationId: string;
  readonly channel: Channel;
  /** Of its campaign, if traced. */
  readonly traceparent?: string;
};

/** The delivery's application and channel; null if it does not exist. */
export async function findDeliveryOwner(
  sql: Sql,
  deliveryId: string,
): Promise<DeliveryOwner | null> {
  const { rows } = await sql.query<{
    application_id: string;
    channel: Channel;
    traceparent: string | null;
  }>(FIND_OWNER, [deliveryId]);
  const [row] = rows;
  return row === undefined
    ? null
    : {
        applicationId: row.application_id,
        channel: row.channel,
        ...(row.traceparent !== null && { traceparent: row.traceparent }),
      };
}

const FIND_OWNER = definePrepared(statement('find-delivery-owner'));
