import { CHANNEL_SENDS } from '@tidings/accounts/channel-settings';
import {
  CONTACT_FIELDS,
  DEVICE_CHANNELS,
  DEVICE_KIND_OF,
  DEVICES_SENT_TO_MAX,
  LIMITS,
  POLLED_CHANNELS,
  MARKETING_SUPPRESSION,
  STATE_GROUPS,
  SUCCESS_STATES,
  TIME_ZONE_ATTRIBUTE,
} from '@tidings/contracts';
import { COUNTED_NOTES, MACHINE_NOTES } from '@tidings/delivery/counting';
import { COME_AFTER } from '@tidings/delivery/list-deliveries';
import { NOTES } from '@tidings/delivery/outcome-rules';
import { EVENT_COLUMNS, EVENT_DEFINITION } from '@tidings/events/event-row';
import { SHOWN_RECEIPTS } from '@tidings/events/ingest-log/outcome';
import { matchesUserFilter } from '@tidings/events/ingest-log/user-filter';
import { proves } from '@tidings/people/devices/proofs';
import { SERVICE_USER_IDS } from '@tidings/people/users';

/** A rule that several statements, or a statement and code, must express identically. */
export type Passage = {
  readonly name: string;
  /** SQL; `@1` stands for any column, parameter or alias, the same everywhere in the passage. */
  readonly text: string;
  /** Number of occurrences in all statements; the test fails if a statement loses it. */
  readonly times: number;
  /** Every match of this pattern in a statement must be part of the passage. */
  readonly sign: RegExp;
  /** Statements in which the pattern has another meaning. */
  readonly except?: readonly string[];
};

const list = (texts: readonly string[]): string => texts.map((text) => `'${text}'`).join(', ');
const pending = Object.entries(STATE_GROUPS).flatMap(([state, group]) =>
  group === 'pending' ? [state] : [],
);
const writtenAhead = (column: string): string =>
  `${column} > statement_timestamp() + interval '60 s'`;
const contacts = CONTACT_FIELDS.map((field) => `'${field}', u.fields -> '${field}'`).join(', ');
const count = (n: string): string => `case when sum(n) > 0 then now() else '${n}infinity' end`;

/**
 * SQL by which a settled outcome removes its address from the device. It is in the statements that
 * settle, so that both change together. Only they write `devices` from a foreign folder.
 */
export const TAKES_DEAD_ADDRESS = 'update devices v set address = null, address_hash = null from (';

/** Rules shared by statements. A change of one must be made in all of them. */
export const PASSAGES: readonly Passage[] = [
  {
    // The time was written while the Postgres clock was ahead, and the clock was corrected since:
    // the difference is more than concurrent transactions can have. `now()` cannot be used: a long
    // transaction sees rows written after it began.
    name: 'a time was written ahead of the clock',
    text: writtenAhead('@1'),
    times: 48,
    sign: /statement_timestamp/,
  },
  {
    // A future time stays: the chunk has other times, which only `correct-future-times`
    // corrects, all at once.
    name: 'a chunk is written now',
    text: `written_at = case when ${writtenAhead('@1.written_at')} then @1.written_at else now() end`,
    times: 17,
    sign: /(?<!\.)\bwritten_at = /,
    except: [
      'correct-future-times',
      'reschedule-webhooks-written-ahead',
      'claim-webhooks',
      'record-webhook-outcomes',
    ],
  },
  {
    // The channel settings were found invalid and have not changed. A test send is still allowed.
    name: 'the channel of a campaign is paused',
    text: `(c.source <> 'test' and exists (select from channel_pauses p
      join channel_settings s on s.application_id = p.application_id and s.channel = p.channel and s.version = p.version
      where p.application_id = c.application_id and p.channel = c.channel))`,
    times: 4,
    sign: /from channel_pauses p join/,
  },
  {
    // The key counts as long as the address is the one that it was made of: the version before
    // changes the address alone.
    name: 'the key of a mailbox',
    text: 'case u.mailbox_spelling when u.email_key then u.mailbox_key end',
    times: 6,
    sign: /u\.mailbox_spelling/,
  },
  {
    name: 'a claim is over: taking it over is safe at any time',
    text: `(d.state = 'claimed' and (d.lease_until < now() or ${writtenAhead('d.updated_at')}))`,
    times: 8,
    sign: /d\.state = 'claimed' and \(/,
  },
  {
    // No statement claims a delivery that may have been sent.
    name: 'a row may be claimed',
    text: `((d.state in ('pending', 'retry_wait') and (d.next_at <= now() or ${writtenAhead('d.updated_at')}))
      or (d.state = 'claimed' and (d.lease_until < now() or ${writtenAhead('d.updated_at')})))`,
    times: 6,
    sign: /d\.next_at </,
  },
  {
    // A delivery being sent is never claimed; `renew-chunk-leases` renews its lease.
    name: 'the next time of the rows of a chunk',
    text: `min(case when d.state <> 'sending' and ${writtenAhead('d.updated_at')} then now()
      when d.state in ('claimed', 'sending') then d.lease_until else d.next_at end)`,
    times: 6,
    sign: /min\(case/,
  },
  {
    name: 'the group of a state',
    text: `case when @1 in (${list(pending)}) then 'pending' else @1 end`,
    times: 15,
    sign: /then 'pending' else (?!'pending)/,
    except: ['list-accepted', 'read-ingest-report'],
  },
  {
    name: 'the reason that a row is counted under',
    text: `case when @1 = 'failed' then coalesce(@2, 'internal') else '' end`,
    times: 9,
    sign: /'internal'/,
  },
  {
    // Sorted, so that two statements cannot deadlock. first_at and last_at are the times at which
    // deliveries entered this state.
    name: 'deltas are added to the counters',
    text: `insert into campaign_counters as c (campaign_id, state, reason, shard, n, first_at, last_at)
      select campaign_id, state, reason, @1::smallint, sum(n), ${count('')}, ${count('-')} from (`,
    times: 7,
    sign: /insert into campaign_counters/,
  },
  {
    name: 'the counters get the sums of the deltas',
    text: `) deltas group by 1, 2, 3 having sum(n) <> 0 order by 1, 2, 3
      on conflict (campaign_id, state, reason, shard) do update
      set n = c.n + excluded.n, first_at = least(c.first_at, excluded.first_at), last_at = greatest(c.last_at, excluded.last_at)`,
    times: 7,
    sign: /\) deltas\b/,
  },
  {
    name: 'the states that are successes',
    text: `in (${list(SUCCESS_STATES)})`,
    times: 6,
    sign: /in \('sent', '/,
  },
  {
    // Not before the delivery was created and not later than now, which is the default.
    name: 'the time of an outcome, from a clock that may be wrong',
    text: `case when w.at is null then now()
      else least(now(), greatest(d.created_at, to_timestamp(least(greatest(w.at, 0), 1e14) / 1000))) end`,
    times: 11,
    sign: /1e14/,
  },
  {
    name: 'the channels on which a user may have several addresses',
    text: `in (${list(DEVICE_CHANNELS)})`,
    times: 6,
    sign: new RegExp(`'(${DEVICE_CHANNELS.join('|')})', `),
  },
  {
    name: 'the channels whose provider is asked about open outcomes',
    text: `channel in (${list(POLLED_CHANNELS)})`,
    times: 5,
    sign: /\bchannel in \('SMS'/,
  },
  {
    // Left join: without a settings row the channel is not configured.
    name: 'a channel sends',
    text: CHANNEL_SENDS,
    times: 4,
    sign: /'sendUntested'/,
    // It asks for the channels that send although they are untested.
    except: ['accept-campaigns'],
  },
  {
    name: 'the sources of a user’s address',
    text: `jsonb_strip_nulls(jsonb_build_object(${contacts}, 'phoneE164', u.phone_e164))`,
    times: 4,
    sign: /'phoneE164'/,
  },
  {
    name: 'a user who has unsubscribed gets no marketing',
    text: `x.reason <> '${MARKETING_SUPPRESSION}'`,
    times: 5,
    sign: /x\.reason <> /,
  },
  {
    name: 'the time zone of a user: what the application says, else a device',
    text: `left(coalesce(u.custom_attributes ->> '${TIME_ZONE_ATTRIBUTE}', `,
    times: 4,
    sign: /custom_attributes ->>/,
  },
  {
    // Older versions do not know proofs and change only the user of a device, so a proof counts
    // only for the user it was given with.
    name: 'the user that a device proves',
    text: `case when @1.user_id_at_proof = @1.user_id then @1.proved_user_id end`,
    times: 4,
    sign: /when \w+\.user_id_at_proof/,
  },
  {
    name: 'a device proves a user',
    text: proves('@1', '@2'),
    times: 9,
    sign: /and \w+\.user_id_at_proof = /,
  },
  {
    // In key order, so that two statements cannot deadlock.
    name: 'devices lose the very address that turned out to be dead',
    text: `on x.application_id = l.application_id and x.device_id = l.device_id and x.address = l.address
      order by 1, 2 for update of l) locked
      where v.application_id = locked.application_id and v.device_id = locked.device_id`,
    times: 2,
    sign: /for update of l\)/,
  },
  {
    // No device has fetched the message, or the one that did has not confirmed it.
    name: 'a message of the inbox is free',
    text: `(i.lease_until is null or i.lease_until <= now() or (i.lease_until > now() + interval '10 min' and i.lease_until <> 'infinity'))`,
    times: 4,
    sign: /i\.lease_until is null/,
  },
  {
    name: 'the number of devices of a delivery',
    text: `f.address_no < ${DEVICES_SENT_TO_MAX}`,
    times: 1,
    sign: /f\.address_no </,
  },
  {
    name: 'the kinds of devices',
    text: `v.kind in (${list(Object.values(DEVICE_KIND_OF))})`,
    times: 2,
    sign: /v\.kind in/,
  },
  {
    name: 'recorded status updates, as read',
    text: `array_remove(array[${NOTES.map((note) => `case when d.${note}_at is not null then '${note}' end`).join(', ')}], null) as noted`,
    times: 1,
    sign: /as noted\b/,
  },
  {
    name: 'recorded status updates, as written',
    text: NOTES.map((note) => `${note}_at = coalesce(d.${note}_at, n.${note})`).join(', '),
    times: 1,
    sign: /clicked_at = coalesce/,
  },
  {
    name: 'counted status updates',
    text: `where note in (${list(COUNTED_NOTES)})`,
    times: 1,
    sign: /where note in \('complained/,
  },
  {
    name: 'counted updates by machines',
    text: `where note in (${list(MACHINE_NOTES)})`,
    times: 1,
    sign: /where note in \('machine/,
  },
  {
    name: 'failures by bounces are counted while they are failures',
    text: `from (
      select campaign_id, old_bounce ->> 'class' as class, -1 as n from changed
      where old_state = 'failed' and old_bounce is not null
      union all
      select campaign_id, bounce ->> 'class', 1 from changed
      where state = 'failed' and bounce is not null
    ) bounced`,
    times: 2,
    sign: /\) bounced\b/,
  },
  {
    name: 'the budget of new definitions of Client keys',
    text: `least(${LIMITS.clientDefinitionsBurst}, coalesce(b.tokens
      + greatest(0, extract(epoch from clock_timestamp() - b.refilled_at)::float8) * ${LIMITS.clientDefinitionsPerHour} / 3600.0,
      ${LIMITS.clientDefinitionsBurst}))`,
    times: 2,
    sign: /clock_timestamp\(\) - b\.refilled_at/,
  },
  {
    // In the order of the index of due rows, so that the planner cannot choose an index over the
    // whole log.
    name: 'endpoints with due webhooks',
    text: `waiting(endpoint_id) as (
      (select endpoint_id from webhook_deliveries where state = 'pending' order by endpoint_id, next_at limit 1)
      union all
      select (select d.endpoint_id from webhook_deliveries d where d.state = 'pending' and d.endpoint_id > w.endpoint_id
        order by d.endpoint_id, d.next_at limit 1)
      from waiting w where w.endpoint_id is not null)`,
    times: 4,
    sign: /waiting\(endpoint_id\)/,
  },
  {
    name: 'the receipts as a caller is shown them',
    text: SHOWN_RECEIPTS,
    times: 2,
    sign: /from scanned s\b/,
  },
  {
    name: 'a message has a user',
    text: matchesUserFilter(10),
    times: 1,
    sign: /o\.user_id = any/,
  },
  {
    name: 'the deliveries behind a place in their list',
    text: COME_AFTER,
    times: 1,
    sign: /\(d\.chunk_no, d\.id\) >/,
  },
  {
    name: 'an event as the API reads it',
    text: EVENT_COLUMNS,
    times: 1,
    sign: /e\.message_id, e\.type/,
  },
  {
    name: 'the definition of an event',
    text: EVENT_DEFINITION,
    times: 1,
    sign: /coalesce\(o\.merged_into/,
  },
  {
    name: 'the serviceUserIds of a user',
    text: SERVICE_USER_IDS,
    times: 1,
    sign: /o\.id = u\.id or/,
  },
  {
    name: 'what is recorded of the messages of deliveries',
    text: `select m.campaign_id, m.id, m.application_id, r.words, to_timestamp(r.rendered_at / 1000), r.template_no, r.variant_no, r.renderer, r.filled_in
      from @1 m join unnest($1::uuid[], @2::uuid[], @3::float8[], @4::smallint[], @5::smallint[], @6::smallint[], @7::text[])
        as r(id, words, rendered_at, template_no, variant_no, renderer, filled_in) on r.id = m.id
      where r.words is not null on conflict do nothing`,
    times: 4,
    sign: /on r\.id = m\.id/,
  },
  {
    name: 'what is recorded of the messages of devices',
    text: `on conflict (campaign_id, delivery_id) do update set words = own.words returning own.delivery_id, own.words), marked as (`,
    times: 2,
    sign: /own\.words/,
  },
];
