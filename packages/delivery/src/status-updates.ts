import type { Channel, DeliveryReason, DeliveryState } from '@tidings/contracts';
import type { Database, Sql } from '@tidings/postgres/database';
import { definePrepared } from '@tidings/postgres/define-prepared';
import { statementsIn } from '@tidings/postgres/statements';
import type { StateChange } from './change-states.ts';
import { applyDeliveryUpdates } from './delivery-updates.ts';

const statement = statementsIn(import.meta.dirname);

/** What a provider says later of a message that it was given: in a callback, or when it is asked. */
export type StatusUpdate = {
  readonly deliveryId: string;
  /** The fence of the attempt that it speaks of: news of an earlier one changes nothing. */
  readonly fence: number;
  readonly state: Extract<DeliveryState, 'sent' | 'delivered' | 'failed' | 'expired'>;
  readonly reason?: DeliveryReason;
} & Pick<StateChange, 'providerId' | 'providerCode' | 'providerMessage'>;

/** Whether it changed anything. @callers client-api, channel-worker */
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
  /** Of its campaign, where that is traced. */
  readonly traceparent?: string;
};

/** Whose delivery it is; null when there is none. */
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

const FIND_OWNER = definePrepared(statement('find-delivery-by-provider-id'));
