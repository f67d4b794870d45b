import { LOOKED_UP_CHANNELS, SUCCESS_STATES, type DeliveryState } from '@tidings/contracts';
import { removeAddresses } from '@tidings/people/devices/dead-addresses';
import type { Sql } from '@tidings/postgres/database';
import { prepared } from '@tidings/postgres/prepared';
import { changeAddressStates } from './change-address-states.ts';
import { addToCounters, countedReason, counterShard, groupOf, SUCCESSES } from './counting.ts';
import type { StateChange } from './state-change.ts';

export type { StateChange };

/** SQL of the time at which something happened to the delivery `d` by a clock that need not be right: not before it was made, nor later than now, which it is where nobody says. */
export const momentOf = (d: string, epochMs: string): string =>
  // Of null and 0 the greatest is 0.
  `case when ${epochMs} is null then now() else least(now(), greatest(${d}.created_at, to_timestamp(least(greatest(${epochMs}, 0), 1e14) / 1000))) end`;

/** Each has its own column for when it was first told. */
export const REFINEMENTS = SUCCESS_STATES.filter((state) => state !== 'sent');
const LOOKED_UP = LOOKED_UP_CHANNELS.map((channel) => `'${channel}'`).join(', ');

/**
 * SQL that settles deliveries; `isDead` where some of them went to a device that turned out to be dead. What there was is what the
 * update itself found, also where it had to wait for somebody else's: no row is looked up, nor locked, before.
 */
const changeStates = ({ isDead }: { readonly isDead: boolean }): string =>
  `with changed as (
     update deliveries d
     set state = w.state, reason = w.reason, owner = null, lease_until = null, updated_at = now(),
         next_at = now() + coalesce(w."delayMs", 0) * interval '1 ms',
         fence = d.fence + case when w."isFresh" then 1 else 0 end,
         attempts = case when w."isFresh" then 0 else d.attempts - case when w."isAttemptReturned" then 1 else 0 end end,
         device_id = case when w."isFresh" then null else d.device_id end,
         doubts = d.doubts + case when w.state = 'retry_wait' and w.reason = 'outcome_unknown' then 1 else 0 end,
         provider_id = coalesce(w."providerId", d.provider_id),
         provider_code = coalesce(w."providerCode", case when w."isFresh" then null else d.provider_code end),
         -- Words belong to the code they came with.
         provider_message = coalesce(w."providerMessage", case when w."isFresh" or w."providerCode" is not null then null else d.provider_message end),
         sent_at = case when w.state in (${SUCCESSES}) then coalesce(d.sent_at, ${momentOf('d', 'w.at')}) else d.sent_at end,
         ${REFINEMENTS.map((state) => `${state}_at = case when w.state = '${state}' then coalesce(d.${state}_at, ${momentOf('d', 'w.at')}) else d.${state}_at end`).join(', ')}
     from jsonb_to_recordset($1::jsonb) as w("deliveryId" uuid, fence int, state text, reason text, "delayMs" float8,
       "isAttemptReturned" boolean, "isFresh" boolean, "providerId" text, "providerCode" text, "providerMessage" text,
       outcome text, "durationMs" int, at float8, event text, detail text, address text)
     where d.id = w."deliveryId" and (w.fence is null or w.fence = d.fence)
       and d.state = any($2) and not (d.state = 'unknown' and ${groupOf('w.state')} = 'pending')
     returning d.id, d.campaign_id, d.application_id, d.channel, d.user_id, d.device_id, w.address, d.state, d.reason, w."providerId" as provider_id, w."providerCode" as provider_code,
               w."providerMessage" as provider_message, w.outcome, w."durationMs" as duration_ms, w.fence, w.event, w.detail,
               case when old.state = 'sending' and w.fence is not null then old.updated_at end as armed_at,
               old.state as old_state, old.reason as old_reason, case when old.state = 'sending' then old.attempts else new.attempts end as attempt),
   counted as (${addToCounters(
     `select campaign_id, ${groupOf('old_state')} as state, ${countedReason('old_state', 'old_reason')} as reason, -1 as n from changed
      union all
      select campaign_id, ${groupOf('state')}, ${countedReason('state', 'reason')}, 1 from changed`,
     '$3',
   )}),
   known as (
     insert into provider_ids (provider_id) select provider_id from changed where channel in (${LOOKED_UP}) and provider_id is not null
     on conflict do nothing),
   opened as (
     insert into open_outcomes as o (delivery_id, channel, user_id)
     select id, channel, user_id from changed where channel in (${LOOKED_UP}) and state in ('unknown', 'retry_wait') and reason = 'outcome_unknown'
     on conflict (delivery_id) do update set since = excluded.since),${isDead ? REMOVED : ''}
   logged as (
     insert into campaign_events (campaign_id, type, delivery_id, attempt, status, reason, provider_code, detail, fence, armed_at, outcome, duration_ms)
     select campaign_id, 'delivery.' || coalesce(event, state), id, attempt, state, reason, provider_code, coalesce(provider_message, detail), fence, armed_at, outcome, duration_ms
     from changed${isDead ? TOLD : ''})
   select id from changed`;

const REMOVED = `
   removed as (${removeAddresses(`select distinct application_id, device_id, address from changed where outcome = 'invalid_address' and device_id is not null`)}),`;
const TOLD = `
     union all
     select distinct on (r.application_id, r.device_id) c.campaign_id, 'subscription.removed', c.id, c.attempt, 'removed', c.reason, c.provider_code, null, null::int, null::timestamptz, null, null::int
     from removed r join changed c on c.application_id = r.application_id and c.device_id = r.device_id and c.outcome = 'invalid_address'`;

const CHANGE_STATES = prepared(changeStates({ isDead: false }));
const CHANGE_STATES_OF_DEAD = prepared(changeStates({ isDead: true }));

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
