import type { AttemptOutcome, Bounce, DeliveryReason, DeliveryState } from '@tidings/contracts';
import type { Sql } from '@tidings/postgres/database';
import { definePrepared } from '@tidings/postgres/define-prepared';
import { statementsIn } from '@tidings/postgres/statements';
import { counterShard } from './counting.ts';
import { isPlainlySent, recordSent, type SentChange } from './record-sent.ts';

const statement = statementsIn(import.meta.dirname);

/** What is claimed, sent and settled: a delivery, or one address of it if the user has several. */
export type DeliveryTarget = {
  readonly deliveryId: string;
  /** Number of the address within the delivery; absent if it goes to one address. */
  readonly addressNo?: number;
};

/** Map key of a target; for a delivery to one address, its id. */
export function targetKey({ deliveryId, addressNo }: DeliveryTarget): string {
  return addressNo === undefined ? deliveryId : `${deliveryId}/${addressNo}`;
}

/** The target fields of a larger object. */
export function targetOf({ deliveryId, addressNo }: DeliveryTarget): DeliveryTarget {
  return { deliveryId, ...(addressNo !== undefined && { addressNo }) };
}

/** A new state of a delivery or of one of its addresses, with the attempt that led to it. */
export type StateChange = DeliveryTarget & {
  /** Fence of the claim that made the attempt; null without an attempt (sweeps). */
  readonly fence: number | null;
  readonly state: DeliveryState;
  readonly reason?: DeliveryReason;
  /** For `retry_wait`: milliseconds until the retry. */
  readonly delayMs?: number;
  /** The attempt did not reach the provider and is not counted. */
  readonly isAttemptReturned?: boolean;
  /** The delivery restarts with no attempts; updates for earlier attempts are ignored. */
  readonly isFresh?: boolean;
  readonly providerId?: string;
  readonly providerCode?: string;
  readonly providerMessage?: string;
  /** What a mail server’s refusal means. */
  readonly bounce?: Bounce;
  /** The provider's message does not name the recipient. */
  readonly isNeutral?: boolean;
  /** Result of the attempt, before retries are decided; absent if no attempt ended. */
  readonly outcome?: AttemptOutcome;
  /** Duration of the attempt. */
  readonly durationMs?: number;
  /** Time of the change if earlier than now: milliseconds since the epoch. */
  readonly at?: number;
  /** Name of the log entry, if not the state. */
  readonly event?: string;
  /** Text of the log entry, if the provider gave no message. */
  readonly detail?: string;
  /** The invalid address of a device, which the device loses. */
  readonly address?: string;
};

/**
 * Two statements that change states; the second also removes invalid device addresses. Old values
 * come from the update itself, even after a lock wait, so no separate read or lock is needed.
 */
const CHANGE_STATES = definePrepared(statement('change-delivery-states'));
const CHANGE_STATES_OF_DEAD = definePrepared(statement('change-delivery-states-of-dead'));

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
 * their own. Returns the keys of the changed targets.
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
  const deliveries = await changeDeliveryStates(
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
