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
 * Both settle deliveries, the second also where some of them went to a device that turned out to be dead. What there was is what the
 * update itself found, also where it had to wait for somebody else's: no row is looked up, nor locked, before.
 */
const CHANGE_STATES = definePrepared(statement('change-delivery-states'));
const CHANGE_STATES_OF_DEAD = definePrepared(statement('change-delivery-states-of-dead'));

/**
 * The one function that settles deliveries. In one statement: the state changes where `from` and the fence still hold,
 * counters get the deltas of the rows that really changed, and each change is logged: the log is also that of the
 * attempts, so that none costs a statement of its own. An attempt given back keeps its number there. What is unknown stays so unless
 * an outcome is known: it never goes back to be sent again. Changes of single addresses are folded into their deliveries. A
 * device whose address turned out to be dead loses it.
 * Returns the keys of those that changed.
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
  // In one order, for they may wait for locks: so connections go that plan by key alone (`isKeyed`); who uses others has locked the rows before.
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
