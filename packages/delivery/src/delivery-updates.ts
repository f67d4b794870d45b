import type { DeliveryState } from '@tidings/contracts';
import type { Database, Sql } from '@tidings/postgres/database';
import { definePrepared } from '@tidings/postgres/define-prepared';
import { retryConflicts } from '@tidings/postgres/retry-conflicts';
import { statementsIn } from '@tidings/postgres/statements';
import { changeDeliveryStates, type StateChange } from './change-states.ts';
import { counterShard } from './counting.ts';
import { removeFromInbox } from './inbox.ts';
import {
  after,
  consequencesOf,
  type Consequences,
  type DeliverySoFar,
  type DeliveryUpdate,
  type Note,
} from './outcome-rules.ts';

const statement = statementsIn(import.meta.dirname);

/** `nothing_new`: told before, or the outcome does not move back. */
export type DeliveryUpdateResult = 'changed' | 'nothing_new' | 'not_found';

/**
 * The one function through which flows what becomes known of deliveries after they were handed over: callbacks and
 * look-ups, receipts of devices, opened mails and clicked links, bounces, complaints, unsubscribing. Say what happened as
 * often and in whatever order you hear it, many deliveries at once or one several times; results are in the order given.
 *
 * - A state only moves forward, by as much as the outcome proves (a click proves that it was opened), also from `unknown` or when
 *   the provider's own answer is not recorded yet. `bounced` and `failed` turn a success into a failure as long as no person saw the message.
 * - Each outcome is noted once, with its time, and has its entry in the event log, which is its webhook too
 *   (`message.opened`, `user.unsubscribed`, …). What a machine did is noted apart and has no webhook.
 * - Counters change with the rows, in the same transaction.
 *
 * Whose delivery it is and whether the teller may know of it, the caller finds out before; suppressing an address or
 * a user is the caller's too. `fence` is for what speaks of one attempt (a provider's callback); what people do has none.
 * @callers client-api, channel-worker, delivery
 */
export function applyDeliveryUpdates(
  db: Database,
  outcomes: readonly DeliveryUpdate[],
): Promise<DeliveryUpdateResult[]> {
  if (outcomes.length === 0) return Promise.resolve([]);
  // Others change the same counters.
  return retryConflicts(() => db.transaction((sql) => applyDeliveryUpdatesIn(sql, outcomes)));
}

/** `applyDeliveryUpdates` in a transaction of the caller, who starts it again after a conflict. */
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
  // Several changes of one delivery are several rounds: a statement changes a row once.
  const rounds: StateChange[][] = [];
  const notes: NoteOf[] = [];
  const depths = new Map<string, number>();
  const results = outcomes.map((outcome): DeliveryUpdateResult => {
    const delivery = deliveries.get(outcome.deliveryId);
    if (delivery === undefined) return 'not_found';
    const consequences = consequencesOf(delivery, outcome);
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
  // Whatever changes it has been shown.
  await removeFromInbox(
    sql,
    [...waited].filter((id) => depths.has(id)),
  );
  for (const changes of rounds) await changeDeliveryStates(sql, ANY_STATE, changes);
  await writeNotes(sql, notes);
  return results;
}

/** Whether a change is right was decided under the lock on its row. */
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
