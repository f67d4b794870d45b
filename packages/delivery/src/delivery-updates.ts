import type { DeliveryState } from '@tidings/contracts/push/deliveries';
import type { Database, Sql } from '@tidings/postgres/database';
import { definePrepared } from '@tidings/postgres/define-prepared';
import { retryConflicts } from '@tidings/postgres/retry-conflicts';
import { statementsIn } from '@tidings/postgres/statements';
import { changeStates, type StateChange } from './change-states.ts';
import { counterShard } from './counting.ts';
import { announceOutcomes } from './heard-outcomes.ts';
import { removeFromInbox } from './inbox.ts';
import {
  after,
  decideConsequences,
  type Consequences,
  type DeliverySoFar,
  type DeliveryUpdate,
  type Note,
} from './outcome-rules.ts';

const statement = statementsIn(import.meta.dirname);

/** `nothing_new`: already known, or the state would move backwards. */
export type DeliveryUpdateResult = 'changed' | 'nothing_new' | 'not_found';

/**
 * The only function that applies delivery updates: callbacks, polled outcomes, device receipts,
 * opens and clicks, bounces, complaints and unsubscribes. Updates may come repeatedly and in any
 * order, many deliveries per call. Results are in the given order.
 *
 * - A state only moves forward, as far as the update proves (a click proves an open), also from
 *   `unknown` or before the provider's response is recorded. `bounced` and `failed` turn a success
 *   into a failure unless a person saw the message.
 * - Each outcome is recorded once with its time and event-log entry, which is also its webhook
 *   (`message.opened`, `user.unsubscribed`, …). Actions of machines are recorded separately,
 *   without a webhook.
 * - Counters change in the same transaction.
 *
 * The caller authorizes the update and suppresses addresses or users. `fence` is for updates about
 * one attempt (a provider's callback); actions of people have none.
 * @callers client-api, channel-worker, delivery
 */
export function applyDeliveryUpdates(
  db: Database,
  outcomes: readonly DeliveryUpdate[],
): Promise<DeliveryUpdateResult[]> {
  if (outcomes.length === 0) return Promise.resolve([]);
  // Other transactions change the same counters.
  return retryConflicts(() => db.transaction((sql) => applyDeliveryUpdatesIn(sql, outcomes)));
}

/**
 * `applyDeliveryUpdates` in the caller's transaction, which the caller repeats after a conflict.
 */
export async function applyDeliveryUpdatesIn(
  sql: Sql,
  outcomes: readonly DeliveryUpdate[],
): Promise<DeliveryUpdateResult[]> {
  const deliveries = await lockDeliveries(
    sql,
    outcomes.map(({ deliveryId }) => deliveryId),
  );
  const waited = new Set(
    [...deliveries].filter(([, { state }]) => state === 'waiting').map(([id]) => id),
  );
  // One statement changes a row only once, so several changes of one delivery need several rounds.
  const rounds: StateChange[][] = [];
  const notes: NoteOf[] = [];
  const depths = new Map<string, number>();
  const results = outcomes.map((outcome): DeliveryUpdateResult => {
    const delivery = deliveries.get(outcome.deliveryId);
    if (delivery === undefined) return 'not_found';
    const consequences = decideConsequences(delivery, outcome);
    deliveries.set(outcome.deliveryId, after(delivery, consequences));
    const { change, note } = consequences;
    if (change !== undefined) {
      const depth = depths.get(outcome.deliveryId) ?? 0;
      depths.set(outcome.deliveryId, depth + 1);
      (rounds[depth] ??= []).push(change);
    }
    if (note !== undefined) notes.push({ outcome, note });
    return change === undefined && note === undefined ? 'nothing_new' : 'changed';
  });
  // A changed delivery was shown, so it leaves the inbox.
  const shown = [...waited].filter((id) => depths.has(id));
  await removeFromInbox(sql, shown);
  for (const changes of rounds) await changeStates(sql, ANY_STATE, changes);
  await writeNotes(sql, notes);
  // Also what only has another time: an open that is heard after the click leaves the state.
  const changed = new Set([...depths.keys(), ...notes.map(({ outcome }) => outcome.deliveryId)]);
  const heard = [...changed].filter((id) => deliveries.get(id)?.isHeard);
  await announceOutcomes(sql, heard);
  return results;
}

/** The change was checked under the row lock. */
const ANY_STATE: readonly DeliveryState[] = [
  'pending',
  'claimed',
  'sending',
  'retry_wait',
  'waiting',
  'unknown',
  'sent',
  'delivered',
  'displayed',
  'opened',
];

const LOCK = definePrepared(statement('lock-deliveries'));

async function lockDeliveries(
  sql: Sql,
  ids: readonly string[],
): Promise<Map<string, DeliverySoFar>> {
  const { rows } = await sql.query<Omit<DeliverySoFar, 'noted'> & { id: string; noted: Note[] }>(
    LOCK,
    [[...new Set(ids)]],
  );
  return new Map(rows.map(({ id, noted, ...row }) => [id, { ...row, noted: new Set(noted) }]));
}

type NoteOf = {
  readonly outcome: DeliveryUpdate;
  readonly note: NonNullable<Consequences['note']>;
};

const NOTE = definePrepared(statement('record-updates'));

async function writeNotes(sql: Sql, notes: readonly NoteOf[]): Promise<void> {
  if (notes.length === 0) return;
  const rows = notes.map(
    ({ outcome: { deliveryId, at, detail }, note: { note, event } }, position) => ({
      deliveryId,
      note,
      event,
      at,
      detail,
      position,
    }),
  );
  await sql.query(NOTE, [JSON.stringify(rows), counterShard]);
}
