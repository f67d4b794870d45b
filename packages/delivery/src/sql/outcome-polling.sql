-- part: rival(o, oc, t, c)
oc.application_id = t.application_id
and oc.channel = t.channel
and (
  c.templates is not null
  or oc.templates is not null
  or oc.message ->> 'body' = c.message ->> 'body'
)
and (
  o.state in ('sending', 'unknown')
  or (o.state in ('retry_wait', 'claimed') and o.reason = 'outcome_unknown')
)

-- name: take-unknown-deliveries
-- Rivals are deliveries that look the same to the provider: same address and message, in active
-- campaigns or with an open outcome. Each part has its own key; the few test sends are found
-- through their campaigns. The text of a personalised message is not known here, so it may be any.
with due as (
  select d.id
  from open_outcomes open join deliveries d on d.id = open.delivery_id
  where open.channel = $1
    and (
      open.since <= now() - $2::float8 * interval '1 ms'
      or -- include: postgres/written-ahead(open.since)
    )
    and open.since > now() - $4::float8 * interval '1 ms'
    and d.state in ('unknown', 'retry_wait')
    and d.reason = 'outcome_unknown'
    and (
      d.looked_up_at is null
      or d.looked_up_at <= now() - $3::float8 * interval '1 ms'
      or -- include: postgres/written-ahead(d.looked_up_at)
    )
  order by open.since
  limit 50
  for update of d skip locked
),
taken as (update deliveries d set looked_up_at = now() from due where d.id = due.id returning d.*)
select t.id, t.fence, t.application_id, t.campaign_id, t.custom_user_id, t.test_address, t.account,
  -- include: people/contact-fields(u) as profile,
  c.message, c.traceparent, t.created_at, t.updated_at,
  (
    select count(*)::int
    from (
      select o.id
      from users ou
        join campaigns oc on oc.status in ('sending', 'paused')
          or oc.id in (
            select k.campaign_id from campaign_chunks k where k.pending_action is not null
          )
        join deliveries o on o.campaign_id = oc.id and o.custom_user_id = ou.custom_user_id
      where ou.application_id = t.application_id
        and ou.phone_e164 = coalesce(t.test_address, u.phone_e164)
        and o.test_address is null
        and -- include: rival(o, oc, t, c)
      union
      select o.id
      from users ou
        join open_outcomes open on open.user_id = ou.id
        join deliveries o on o.id = open.delivery_id
        join campaigns oc on oc.id = o.campaign_id
      where ou.application_id = t.application_id
        and ou.phone_e164 = coalesce(t.test_address, u.phone_e164)
        and -- include: rival(o, oc, t, c)
      union
      select o.id
      from campaigns oc
        join deliveries o on o.campaign_id = oc.id
          and o.test_address = coalesce(t.test_address, u.phone_e164)
      where oc.status in ('sending', 'paused')
        and oc.source = 'test'
        and -- include: rival(o, oc, t, c)
      union
      select o.id
      from open_outcomes open
        join deliveries o on o.id = open.delivery_id
          and o.test_address = coalesce(t.test_address, u.phone_e164)
        join campaigns oc on oc.id = o.campaign_id
      where open.user_id is null
        and -- include: rival(o, oc, t, c)
    ) rivals
    where id <> t.id
  ) as rivals
from taken t join campaigns c on c.id = t.campaign_id left join users u on u.id = t.user_id

-- name: known-provider-ids
select provider_id from provider_ids where provider_id = any($1)

-- name: purge-open-outcomes
-- No provider is polled after 24 hours.
delete from open_outcomes
where delivery_id = any(
    array(
      select delivery_id
      from open_outcomes
      where since < now() - 24 * interval '1 hour'
      order by since
      limit $1
      for update skip locked
    )
  )

-- name: purge-provider-ids
delete from provider_ids
where provider_id = any(
    array(
      select provider_id
      from provider_ids
      where known_at < now() - $1 * interval '1 day'
      limit $2
      for update skip locked
    )
  )
