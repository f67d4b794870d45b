import type { DeliveryState } from '@tidings/contracts';
import type { Sql } from '@tidings/postgres/database';
import { definePrepared } from '@tidings/postgres/define-prepared';
import { statementsIn } from '@tidings/postgres/statements';
import { counterShard } from './counting.ts';
import { targetKey } from './delivery-target.ts';
import type { StateChange } from './state-change.ts';

const statement = statementsIn(import.meta.dirname);

/**
 * Locks deliveries before addresses, as all statements do. `siblings` locks all addresses of these
 * deliveries: a locked read sees the current row, not the snapshot. So of two statements that
 * settle a delivery's last two addresses, the second aggregates the first one's change.
 */
const CHANGE_ADDRESS_STATES = definePrepared(statement('change-address-states'));

/**
 * Counterpart of `changeDeliveryStates` for addresses. Aggregates each delivery's state, counters
 * and log from its addresses in the same statement. A successful delivery stays successful. A
 * device with an invalid address loses it. Returns the keys of the changed addresses. @callers
 * delivery
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
