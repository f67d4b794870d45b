import type { DeviceKind } from '@tidings/contracts/client-side';
import { systemIds } from '@tidings/platform';
import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/** A device that became reachable or unreachable. */
export type SubscriptionChange = {
  readonly applicationId: string;
  readonly type: 'subscription.created' | 'subscription.removed';
  readonly kind: DeviceKind;
  readonly customUserId: string | null;
  readonly serviceUserId: string;
};

const CHANNEL_BY_KIND: Readonly<Record<DeviceKind, 'WEB_PUSH' | 'APP_PUSH' | null>> = {
  web_push: 'WEB_PUSH',
  fcm: 'APP_PUSH',
  none: null,
};
const STATUS_BY_TYPE = {
  'subscription.created': 'subscribed',
  'subscription.removed': 'removed',
} as const;

/**
 * Queues the change for the subscribed endpoints, in the transaction that makes the change. It
 * belongs to no campaign, so no entry of an event log could trigger it.
 * @callers people
 */
export async function queueSubscriptionChange(
  sql: Sql,
  { applicationId, type, kind, customUserId, serviceUserId }: SubscriptionChange,
): Promise<void> {
  const channel = CHANNEL_BY_KIND[kind];
  await sql.query(statement('queue-subscription-change'), [
    applicationId,
    `evt_${systemIds.uuid().replaceAll('-', '')}`,
    type,
    channel,
    customUserId,
    serviceUserId,
    STATUS_BY_TYPE[type],
  ]);
}
