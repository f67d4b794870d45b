-- part: written-now(k)
-- A future time stays: the chunk has other times, which only `correct-future-times` corrects, all
-- at once.
written_at = case
  when -- include: postgres/written-ahead(k.written_at)
  then k.written_at
  else now()
end

-- part: paused(c)
-- The channel settings were found invalid and have not changed. A test send is still allowed.
(
  c.source <> 'test'
  and exists (
    select
    from channel_pauses p
      join channel_settings s on s.application_id = p.application_id
        and s.channel = p.channel
        and s.version = p.version
    where p.application_id = c.application_id and p.channel = c.channel
  )
)

-- part: claim-is-over(d)
-- Taking it over is safe at any time.
(
  d.state = 'claimed'
  and (
    d.lease_until < now()
    or -- include: postgres/written-ahead(d.updated_at)
  )
)

-- part: claimable(d)
-- No statement claims a delivery that may have been sent.
(
  (
    d.state in ('pending', 'retry_wait')
    and (
      d.next_at <= now()
      or -- include: postgres/written-ahead(d.updated_at)
    )
  )
  or -- include: claim-is-over(d)
)

-- part: has-recipient(d)
(d.user_id is not null or d.test_address is not null)

-- part: pending-states
('pending', 'claimed', 'sending', 'retry_wait')

-- part: success-states
('sent', 'delivered', 'displayed', 'opened', 'clicked')

-- part: counted-notes
-- Counted besides the states.
('complained', 'unsubscribed')

-- part: device-channels
-- The channels on which a user may have several addresses.
('WEB_PUSH', 'APP_PUSH')

-- part: polled-channels
-- The channels whose provider is asked about open outcomes.
('SMS')

-- part: state-group(state)
case
  when state in -- include: pending-states
  then 'pending'
  else state
end

-- part: counted-reason(state, reason)
-- The reason that a row is counted under.
case when state = 'failed' then coalesce(reason, 'internal') else '' end

-- part: outcome-time(w, d)
-- From a clock that may be wrong: not before the delivery was created and not later than now, which
-- is the default.
case
  when w.at is null then now()
  else least(now(), greatest(d.created_at, to_timestamp(least(greatest(w.at, 0), 1e14) / 1000)))
end

-- part: count-deltas(shard_no)
-- Sorted, so that two statements cannot deadlock. `first_at` and `last_at` are the times at which
-- deliveries entered this state.
insert into campaign_counters as c (campaign_id, state, reason, shard, n, first_at, last_at)
select campaign_id, state, reason, shard_no::smallint, sum(n),
  case when sum(n) > 0 then now() else 'infinity' end,
  case when sum(n) > 0 then now() else '-infinity' end
from deltas
group by 1, 2, 3
having sum(n) <> 0
order by 1, 2, 3
on conflict (campaign_id, state, reason, shard) do update
set n = c.n + excluded.n, first_at = least(c.first_at, excluded.first_at),
  last_at = greatest(c.last_at, excluded.last_at)

-- part: count-accounts(changed, shard_no)
-- By the account of the last attempt, where the channel has several.
insert into campaign_account_counters as c (campaign_id, account, state, shard, n)
select campaign_id, account, state, shard_no::smallint, sum(n)
from (
  select campaign_id, account, state, 1 as n
  from changed
  where account is not null
  union all
  select campaign_id, account, old_state, -1
  from changed
  where account is not null
) moved
where state not in -- include: pending-states
group by 1, 2, 3
having sum(n) <> 0
order by 1, 2, 3
on conflict (campaign_id, account, state, shard) do update
set n = c.n + excluded.n

-- part: is-sending(d)
-- The campaign still sends.
(select c.status = 'sending' and now() < c.expires_at from campaigns c where c.id = d.campaign_id)

-- part: takes-recipients(c)
-- An automation may append to it still.
(c.open_until is not null and c.open_until > now())

-- part: send-latency(c, d)
-- Milliseconds from the acceptance. What an automation appends is accepted when it is appended.
(
  extract(
    epoch from d.sent_at - case
      when c.open_until is null then greatest(c.created_at, c.send_at)
      else d.created_at
    end
  ) * 1000
)::float8

-- part: retried-at(c)
-- While an automation appends, it is the time of the last one.
case when c.open_until is null or c.retried_at > c.open_until then c.retried_at end

-- part: record-words(source, texts, times, templates, variants, renderers, blanks)
-- The arguments are parameters with one element for each id of $1.
insert into delivery_data (
  campaign_id, delivery_id, application_id, words, rendered_at, template_no, variant_no, renderer,
  filled_in
)
select m.campaign_id, m.id, m.application_id, r.words, to_timestamp(r.rendered_at / 1000),
  r.template_no, r.variant_no, r.renderer, r.filled_in
from source m
  join unnest(
    $1::uuid[], texts::uuid[], times::float8[], templates::smallint[], variants::smallint[],
    renderers::smallint[], blanks::text[]
  ) as r(id, words, rendered_at, template_no, variant_no, renderer, filled_in) on r.id = m.id
where r.words is not null
on conflict do nothing

-- part: chunks-to-claim
-- Of the chunks given, those whose campaign sends. `offset 0` makes the planner look each campaign
-- up by its id. Otherwise it may read all campaigns that are being sent.
chunk as (
  select x.campaign_id, x.chunk_no, campaign.*
  from unnest($1::uuid[], $2::int[]) as x(campaign_id, chunk_no)
    cross join lateral (
      select c.purpose,
        -- include: retried-at(c) as retried_at,
        s.version as settings_version
      from campaigns c
        left join channel_settings s on s.application_id = c.application_id
          and s.channel = c.channel
      where c.id = x.campaign_id
        and c.status = 'sending'
        and not -- include: paused(c)
      offset 0
    ) campaign
)

-- part: is-held(d, x)
-- The claim of the worker that asks still holds.
d.fence = x.fence and d.state = 'claimed' and d.lease_until > now()

-- part: comes-after(d)
-- Of the campaign $1, in the order of its list after the position ($2, $3).
d.campaign_id = $1 and (d.chunk_no, d.id) > ($2::int, $3::uuid)

-- part: headline-of(own, templates)
-- What lists name a campaign by: the title of its message, or of its first template, else the
-- beginning of the text.
(
  select left(coalesce(nullif(btrim(m ->> 'title'), ''), m ->> 'body'), 200)
  from (select case when templates is null then own else templates -> 0 -> 'message' end) as x(m)
)

-- part: search-text-of(name, tags, own, templates)
-- All words that a campaign is found by.
search_key(
  concat_ws(
    ' ',
    name,
    -- include: headline-of(own, templates),
    array_to_string(tags, ' ')
  )
)

-- part: draw-of(campaign_id, custom_user_id)
-- The rule of `drawOf`: the same recipient has the same one, from 0 to 1.
(
  (
    'x'
    || encode(
      substring(
        sha256(convert_to(campaign_id::text || ':' || custom_user_id, 'UTF8')) from 1 for 4
      ),
      'hex'
    )
  )::bit(32)::bigint::float8 / 4294967296
)

-- part: in-trial(campaign_id, custom_user_id, percent)
(
  -- include: draw-of(campaign_id, custom_user_id)
  * 100 < percent
)

-- part: is-undecided(c)
-- Its templates go to a part of its recipients; the rest waits for a decision, or for the end of
-- its time after none was better.
(
  c.winner is not null
  and c.status <> 'canceled'
  and not exists (
    select
    from decisions x
    where x.subject_id = c.id and (x.choice is not null or c.expires_at <= now())
  )
)

-- part: reopened-chunks(id)
-- Those who were held back are expanded next.
update campaign_chunks set expanded_at = null where campaign_id = id and recipients is not null

-- part: shown-status(c)
case when c.lane = 'scheduled' and c.status = 'queued' then 'scheduled' else c.status end

-- part: shown-source(c)
case when c.automation_id is null then c.source else 'automation' end
