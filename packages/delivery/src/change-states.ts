import { type DeliveryState } from '@tidings/contracts';
import type { Sql } from '@tidings/postgres/database';
import { definePrepared } from '@tidings/postgres/define-prepared';
import { statementsIn } from '@tidings/postgres/statements';
import { changeAddressStates } from './change-address-states.ts';
import { counterShard } from './counting.ts';
import type { StateChange } from './state-change.ts';

const statement = statementsIn(import.meta.dirname);

export type { StateChange };

/**
 * Two statements that change states; the second also removes invalid device addresses. Old values
 * come from the update itself, even after a lock wait, so no separate read or lock is needed.
 */
const CHANGE_STATES = definePrepared(statement('change-delivery-states'));
const CHANGE_STATES_OF_DEAD = definePrepared(statement('change-delivery-states-of-dead'));

/**
 * The only function that changes delivery states. One statement changes rows whose state is in
 * `from` and whose fence matches, updates the counters by the rows changed, and logs each change;
 * attempts need no statement of their own. A refunded attempt keeps its number in the log. An
 * unknown delivery is never sent again unless an outcome proves a failure. Address changes are
 * aggregated into their deliveries. A device with an invalid address loses it. Returns the keys of
 * the changed targets.
 * @callers channel-worker, campaigns, delivery
 */
export async function changeDeliveryStates(
  sql: Sql,
  from: readonly DeliveryState[],
  changes: readonly StateChange[],
): Promise<Set<string>> {
  if (changes.length === 0) return new Set();
  if (changes.some(({ addressNo }) => addressNo !== undefined))
    return changeBoth(sql, from, changes);
  const isDead = changes.some(({ address }) => address !== undefined);
  // Sorted, because rows may be locked. The order holds on connections that plan by key
  // (`isKeyed`); other callers have locked the rows before.
  const ordered = changes.toSorted((a, b) => (a.deliveryId < b.deliveryId ? -1 : 1));
  const { rows } = await sql.query<{ id: string }>(isDead ? CHANGE_STATES_OF_DEAD : CHANGE_STATES, [
    JSON.stringify(ordered),
    from,
    counterShard,
  ]);
  return new Set(rows.map((row) => row.id));
}

async function changeBoth(
  sql: Sql,
  from: readonly DeliveryState[],
  changes: readonly StateChange[],
): Promise<Set<string>> {
  const isOfAddress = ({ addressNo }: StateChange): boolean => addressNo !== undefined;
  const addresses = await changeAddressStates(sql, from, changes.filter(isOfAddress));
  const deliveries = await changeDeliveryStates(
    sql,
    from,
    changes.filter((change) => !isOfAddress(change)),
  );
  return new Set([...addresses, ...deliveries]);
}
