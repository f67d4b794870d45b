import type { DeliveryState } from '@tidings/contracts/push/deliveries';
import type { Database, Sql } from '@tidings/postgres/database';
import { definePrepared } from '@tidings/postgres/define-prepared';
import { statementsIn } from '@tidings/postgres/statements';
import { counterShard } from './counting.ts';
import { announceOutcomes } from './heard-outcomes.ts';
import { isPlainlySent, recordSent, type SentChange } from './record-sent.ts';
import { targetKey, type StateChange } from './state-change.ts';

export { targetKey, targetOf, type DeliveryTarget, type StateChange } from './state-change.ts';

const statement = statementsIn(import.meta.dirname);

/**
 * Two statements that change states; the second also removes invalid device addresses. Old values
 * come from the update itself, even after a lock wait, so no separate read or lock is needed.
 */
const CHANGE_STATES = definePrepared(statement('change-delivery-states'));
const CHANGE_STATES_OF_DEAD = definePrepared(statement('change-delivery-states-of-dead'));

/**
 * Changes delivery states as `changeStates`, and announces those that an automation waits for: they
 * need a transaction, whose other changes come before. @callers channel-worker, campaigns, delivery
 */
export async function changeDeliveryStates(
  sql: Sql,
  from: readonly DeliveryState[],
  changes: readonly StateChange[],
): Promise<Set<string>> {
  const changed = await changeStates(sql, from, changes);
  const heard = changes.filter((change) => change.isHeard && changed.has(targetKey(change)));
  await announceOutcomes(sql, [...new Set(heard.map(({ deliveryId }) => deliveryId))]);
  return changed;
}

/**
 * `changeDeliveryStates` in a transaction of its own where it needs one. @callers channel-worker
 */
export function settleDeliveries(
  db: Pick<Database, 'sql' | 'transaction'>,
  from: readonly DeliveryState[],
  changes: readonly StateChange[],
): Promise<Set<string>> {
  return changes.some(({ isHeard }) => isHeard)
    ? db.transaction((sql) => changeDeliveryStates(sql, from, changes))
    : changeDeliveryStates(db.sql, from, changes);
}

/**
 * The only function that changes delivery states. A statement
 *
 * - changes the rows whose state is in `from` and whose fence matches,
 * - updates the counters by the rows that changed,
 * - logs each change with its attempt; a refunded attempt keeps its number in the log,
 * - removes an invalid address from its device.
 *
 * Changes of addresses are aggregated into their deliveries. An `unknown` delivery is never sent
 * again unless an outcome proves a failure. Outcomes that are plainly sent have a statement of
 * their own. Returns the keys of the changed targets. @callers delivery
 */
export async function changeStates(
  sql: Sql,
  from: readonly DeliveryState[],
  changes: readonly StateChange[],
): Promise<Set<string>> {
  if (changes.length === 0) return new Set();
  if (changes.some(({ addressNo }) => addressNo !== undefined))
    return changeBoth(sql, from, changes);
  // Sorted, because rows may be locked. The order holds on connections that plan by key
  // (`isKeyed`); other callers have locked the rows before.
  const ordered = changes.toSorted((a, b) => (a.deliveryId < b.deliveryId ? -1 : 1));
  const sent: SentChange[] = [];
  const others: StateChange[] = [];
  for (const change of ordered)
    if (isPlainlySent(change)) sent.push(change);
    else others.push(change);
  const changed = new Set(sent.length > 0 ? await recordSent(sql, from, sent) : []);
  if (others.length > 0) for (const id of await changeByJson(sql, from, others)) changed.add(id);
  return changed;
}

async function changeByJson(
  sql: Sql,
  from: readonly DeliveryState[],
  changes: readonly StateChange[],
): Promise<string[]> {
  const isDead = changes.some(({ address }) => address !== undefined);
  const { rows } = await sql.query<{ id: string }>(isDead ? CHANGE_STATES_OF_DEAD : CHANGE_STATES, [
    JSON.stringify(changes),
    from,
    counterShard,
  ]);
  return rows.map(({ id }) => id);
}

async function changeBoth(
  sql: Sql,
  from: readonly DeliveryState[],
  changes: readonly StateChange[],
): Promise<Set<string>> {
  const isOfAddress = ({ addressNo }: StateChange): boolean => addressNo !== undefined;
  const addresses = await changeAddressStates(sql, from, changes.filter(isOfAddress));
  const deliveries = await changeStates(
    sql,
    from,
    changes.filter((change) => !isOfAddress(change)),
  );
  return new Set([...addresses, ...deliveries]);
}

/**
 * Locks deliveries before addresses, as all statements do. `siblings` locks all addresses of these
 * deliveries: a locked read sees the current row, not the snapshot. So of two statements that
 * settle a delivery's last two addresses, the second aggregates the first one's change.
 */
const CHANGE_ADDRESS_STATES = definePrepared(statement('change-address-states'));

/**
 * Counterpart of `changeDeliveryStates` for addresses. Aggregates each delivery's state, counters
 * and log from its addresses in the same statement. A successful delivery stays successful. A
 * device with an invalid address loses it. Returns the keys of the changed addresses.
 * @callers delivery
 */
async function changeAddressStates(
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
