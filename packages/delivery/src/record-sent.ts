import type { DeliveryState } from '@tidings/contracts/push/deliveries';
import type { Sql } from '@tidings/postgres/database';
import { definePrepared } from '@tidings/postgres/define-prepared';
import { statementsIn } from '@tidings/postgres/statements';
import { counterShard } from './counting.ts';
import type { StateChange } from './state-change.ts';

const statement = statementsIn(import.meta.dirname);

/** A change that `recordSent` stores. */
export type SentChange = StateChange & { readonly fence: number };

/** The fields that `record-sent` stores. With any other field, a change is not plain. */
const STORED: ReadonlySet<string> = new Set<keyof StateChange>([
  'deliveryId',
  'fence',
  'state',
  'outcome',
  'providerId',
  'providerCode',
  'providerMessage',
  'isNeutral',
  'durationMs',
  'isHeard',
]);

/**
 * Whether an attempt was accepted by the provider and nothing else is to be said of it, as nearly
 * all are. A message that may name the recipient is not plain: it must be found when the recipient
 * is deleted.
 */
export function isPlainlySent(change: StateChange): change is SentChange {
  if (change.state !== 'sent' || change.outcome !== 'sent' || change.fence === null) return false;
  if (change.providerMessage !== undefined && change.isNeutral !== true) return false;
  for (const field in change)
    if (!STORED.has(field) && change[field as keyof StateChange] !== undefined) return false;
  return true;
}

const RECORD_SENT = definePrepared(statement('record-sent'));

/**
 * Does for plain changes what `change-delivery-states` does for all, at about half of the cost: no
 * JSON, and no cases that cannot occur. A test compares the rows of both. They differ in one column:
 * the provider's message is logged as `response`, which has no index, instead of `detail`. Returns the ids of the
 * changed deliveries. @callers delivery
 */
export async function recordSent(
  sql: Sql,
  from: readonly DeliveryState[],
  changes: readonly SentChange[],
): Promise<string[]> {
  const { rows } = await sql.query<{ id: string }>(RECORD_SENT, [
    changes.map(({ deliveryId }) => deliveryId),
    changes.map(({ fence }) => fence),
    changes.map(({ providerId }) => providerId ?? null),
    changes.map(({ providerCode }) => providerCode ?? null),
    changes.map(({ providerMessage }) => providerMessage ?? null),
    changes.map(({ durationMs }) => durationMs ?? null),
    from,
    counterShard,
  ]);
  return rows.map(({ id }) => id);
}
