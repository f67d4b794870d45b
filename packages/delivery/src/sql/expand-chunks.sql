with
  chosen as (
    select *
    from unnest($1::uuid[], $2::int[]) as x(campaign_id, chunk_no)
  ),
  campaign as (
    select
      c.id,
      c.application_id,
      c.channel,
      c.lane,
      c.send_at_local,
      c.source = 'test' as is_test,
      c.source = 'test'
        or (
          s.channel is not null
          and (
            s.status = 'ready'
            or coalesce((a.settings ->> 'sendUntested')::boolean, false)
          )
        ) as is_ready,
      c.status = 'canceled' as is_canceled
    from
      campaigns c
      join applications a on a.id = c.application_id
      left join channel_settings s on s.application_id = c.application_id
        and s.channel = c.channel
    where c.id = any($1)
  ),
  made as (
    insert into deliveries (
      campaign_id,
      chunk_no,
      application_id,
      channel,
      custom_user_id,
      user_id,
      test_address,
      state,
      reason
    )
    select
      c.id,
      k.chunk_no,
      c.application_id,
      c.channel,
      r.value,
      u.id,
      case
        when c.is_test then r.value
      end,
      case
        when c.is_canceled then 'canceled'
        when not c.is_ready
          and u.id is not null then 'failed'
        else 'pending'
      end,
      case
        when not c.is_canceled
          and not c.is_ready
          and u.id is not null then 'channel_not_configured'
      end
    from
      campaign c
      join chosen x on x.campaign_id = c.id
      join campaign_chunks k on k.campaign_id = x.campaign_id
        and k.chunk_no = x.chunk_no
      cross join lateral jsonb_array_elements_text(k.recipients) with ordinality as r
      left join users u on not c.is_test
        and u.application_id = c.application_id
        and u.custom_user_id = r.value
        and u.registered_at is not null
    order by
      c.id,
      k.chunk_no,
      r.ordinality
    on conflict (campaign_id, custom_user_id) do nothing
    returning
      id,
      campaign_id,
      chunk_no,
      state,
      reason,
      user_id,
      test_address
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
          case
            when state in ('pending', 'claimed', 'sending', 'retry_wait') then 'pending'
            else state
          end as state,
          case
            when state = 'failed' then coalesce(reason, 'internal')
            else ''
          end as reason,
          1 as n
        from made
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
  logged as (
    insert into campaign_events (campaign_id, type, delivery_id, status, reason)
    select
      campaign_id,
      'delivery.' || state,
      id,
      state,
      reason
    from made
    where state <> 'pending'
  ),
  sendable as (
    select distinct
      campaign_id,
      chunk_no
    from made
    where
      state = 'pending'
      and (
        user_id is not null
        or test_address is not null
      )
  ),
  unresolved as (
    select distinct
      campaign_id,
      chunk_no
    from made
    where
      state = 'pending'
      and user_id is null
      and test_address is null
  ),
  emptied as (
    update campaign_chunks k
    set
      expanded_at = now(),
      recipients = null,
      pending_action = null,
      written_at = case
        when k.written_at > statement_timestamp() + interval '60 s' then k.written_at
        else now()
      end,
      unresolved_at = case
        when exists (
          select 1
          from unresolved u
          where
            u.campaign_id = k.campaign_id
            and u.chunk_no = k.chunk_no
        ) then now()
      end,
      due_at = case
        when exists (
          select 1
          from sendable s
          where
            s.campaign_id = k.campaign_id
            and s.chunk_no = k.chunk_no
        ) then now() + case
          when k.lane = 'bulk' then 0
          else $4::float8
        end * interval '1 s'
      end
    from chosen x
    where
      k.campaign_id = x.campaign_id
      and k.chunk_no = x.chunk_no
  )
select
  s.campaign_id,
  s.chunk_no,
  c.application_id,
  c.channel,
  c.lane,
  c.send_at_local
from
  sendable s
  join campaign c on c.id = s.campaign_id
order by
  1,
  2
