-- The devices of `d.user_id` get the delivery; none if the user was deleted since. A test send
-- names its user in the address column.
with
  placed as (
    update deliveries d
    set
      state = 'waiting',
      reason = null,
      attempts = d.attempts + 1,
      owner = null,
      lease_until = null,
      updated_at = now()
    from unnest($1::uuid[], $2::int[], $4::text[]) as x(id, fence, message)
    where
      d.id = x.id
      and d.fence = x.fence
      and d.state = 'claimed'
      and d.lease_until > now()
      and coalesce(
        (
          select u.id
          from users u
          where u.id = d.user_id
        ),
        (
          select u.id
          from users u
          where
            u.application_id = d.application_id
            and u.custom_user_id = d.test_address
            and u.registered_at is not null
        )
      ) is not null
      and (
        select
          c.status = 'sending'
            and now() < c.expires_at
        from campaigns c
        where c.id = d.campaign_id
      )
    returning
      d.id,
      d.fence,
      d.attempts,
      d.campaign_id,
      d.application_id,
      d.channel,
      x.message,
      coalesce(
        (
          select u.id
          from users u
          where u.id = d.user_id
        ),
        (
          select u.id
          from users u
          where
            u.application_id = d.application_id
            and u.custom_user_id = d.test_address
            and u.registered_at is not null
        )
      ) as user_id
  ),
  counted as (
    insert into campaign_counters as c (campaign_id, state, reason, shard, n, first_at, last_at)
    select
      campaign_id,
      state,
      reason,
      $3::smallint,
      sum(n),
      case
        when sum(n) > 0 then now()
        else 'infinity'
      end,
      case
        when sum(n) > 0 then now()
        else '-infinity'
      end
    from
      (
        select
          campaign_id,
          'pending' as state,
          '' as reason,
          -1 as n
        from placed
        union all
        select
          campaign_id,
          'waiting',
          '',
          1
        from placed
      ) deltas
    group by
      1,
      2,
      3
    having sum(n) <> 0
    order by
      1,
      2,
      3
    on conflict (campaign_id, state, reason, shard) do update
    set
      n = c.n + excluded.n,
      first_at = least(c.first_at, excluded.first_at),
      last_at = greatest(c.last_at, excluded.last_at)
  ),
  recorded as (
    insert into delivery_data (
      campaign_id,
      delivery_id,
      application_id,
      words,
      rendered_at,
      template_no,
      variant_no,
      renderer,
      filled_in
    )
    select
      m.campaign_id,
      m.id,
      m.application_id,
      r.words,
      to_timestamp(r.rendered_at / 1000),
      r.template_no,
      r.variant_no,
      r.renderer,
      r.filled_in
    from
      placed m
      join unnest(
        $1::uuid[],
        $5::uuid[],
        $6::float8[],
        $7::smallint[],
        $8::smallint[],
        $9::smallint[],
        $10::text[]
      ) as r(id, words, rendered_at, template_no, variant_no, renderer, filled_in) on r.id = m.id
    where r.words is not null
    on conflict do nothing
  ),
  kept as (
    insert into inbox (
      delivery_id,
      application_id,
      user_id,
      channel,
      campaign_id,
      expires_at,
      message
    )
    select
      o.id,
      o.application_id,
      o.user_id,
      o.channel,
      o.campaign_id,
      c.expires_at,
      o.message::jsonb
    from
      placed o
      join campaigns c on c.id = o.campaign_id
  ),
  logged as (
    insert into campaign_events (campaign_id, type, delivery_id, attempt, status, fence)
    select
      campaign_id,
      'delivery.waiting',
      id,
      attempts,
      'waiting',
      fence
    from placed
  )
select
  id,
  fence,
  user_id
from placed
