import type { DeliveryState } from '@tidings/contracts';
import type { Sql } from '@tidings/postgres/database';
import { definePrepared } from '@tidings/postgres/define-prepared';
import { statementsIn } from '@tidings/postgres/statements';
import { counterShard } from './counting.ts';
import { targetKey } from './delivery-target.ts';
import type { StateChange } from './state-change.ts';

const statement = statementsIn(import.meta.dirname);

/**
 * Deliveries are locked before their addresses, as everywhere. `siblings` locks all addresses of theirs, also those that
 * nobody changes: a row that is read by locking it is read as it is now, not as it was when the statement began, so that
 * of two statements that settle the last two addresses of a delivery the second folds what the first has done.
 */
const CHANGE_ADDRESS_STATES = definePrepared(statement('change-address-states'));

/**
 * Settles addresses as `changeDeliveryStates` settles deliveries, and folds their deliveries in the same statement: state,
 * counters and log of a delivery are those of all its addresses at any moment. A success of the delivery stays, whatever
 * becomes of its other addresses. A device whose address turned out to be dead loses it. Returns the keys of those that
 * changed. @callers delivery
 */
export async function changeAddressStates(
  sql: Sql,
  from: readonly DeliveryState[],
  changes: readonly StateChange[],
): Promise<Set<string>> {
  if (changes.length === 0) return new Set();
  const { rows } = await sql.query<{ id: string; no: number }>(CHANGE_ADDRESS_STATES, [
    JSON.stringify(changes),
    from,
    counterShard,
  ]);
  return new Set(rows.map(({ id, no }) => targetKey({ deliveryId: id, addressNo: no })));
}
