with
  changed as (
    update deliveries d
    set
      state = w.state,
      reason = w.reason,
      bounce = w.bounce,
      owner = null,
      lease_until = null,
      updated_at = now(),
      next_at = now() + coalesce(w."delayMs", 0) * interval '1 ms',
      fence = d.fence + case
        when w."isFresh" then 1
        else 0
      end,
      attempts = case
        when w."isFresh" then 0
        else d.attempts - case
          when w."isAttemptReturned" then 1
          else 0
        end
      end,
      device_id = case
        when w."isFresh" then null
        else d.device_id
      end,
      doubts = d.doubts + case
        when w.state = 'retry_wait'
          and w.reason = 'outcome_unknown' then 1
        else 0
      end,
      provider_id = coalesce(w."providerId", d.provider_id),
      provider_code = coalesce(
        w."providerCode",
        case
          when w."isFresh" then null
          else d.provider_code
        end
      ),
-- A provider message belongs to the code it came with.
      provider_message = coalesce(
        w."providerMessage",
        case
          when w."isFresh"
            or w."providerCode" is not null then null
          else d.provider_message
        end
      ),
      sent_at = case
        when w.state in ('sent', 'delivered', 'displayed', 'opened', 'clicked') then coalesce(
          d.sent_at,
          case
            when w.at is null then now()
            else least(
              now(),
              greatest(d.created_at, to_timestamp(least(greatest(w.at, 0), 1e14) / 1000))
            )
          end
        )
        else d.sent_at
      end,
      delivered_at = case
        when w.state = 'delivered' then coalesce(
          d.delivered_at,
          case
            when w.at is null then now()
            else least(
              now(),
              greatest(d.created_at, to_timestamp(least(greatest(w.at, 0), 1e14) / 1000))
            )
          end
        )
        else d.delivered_at
      end,
      displayed_at = case
        when w.state = 'displayed' then coalesce(
          d.displayed_at,
          case
            when w.at is null then now()
            else least(
              now(),
              greatest(d.created_at, to_timestamp(least(greatest(w.at, 0), 1e14) / 1000))
            )
          end
        )
        else d.displayed_at
      end,
      opened_at = case
        when w.state = 'opened' then coalesce(
          d.opened_at,
          case
            when w.at is null then now()
            else least(
              now(),
              greatest(d.created_at, to_timestamp(least(greatest(w.at, 0), 1e14) / 1000))
            )
          end
        )
        else d.opened_at
      end,
      clicked_at = case
        when w.state = 'clicked' then coalesce(
          d.clicked_at,
          case
            when w.at is null then now()
            else least(
              now(),
              greatest(d.created_at, to_timestamp(least(greatest(w.at, 0), 1e14) / 1000))
            )
          end
        )
        else d.clicked_at
      end
    from
      jsonb_to_recordset($1::jsonb) as w(
        "deliveryId" uuid,
        fence int,
        state text,
        reason text,
        "delayMs" float8,
        "isAttemptReturned" boolean,
        "isFresh" boolean,
        "providerId" text,
        "providerCode" text,
        "providerMessage" text,
        bounce jsonb,
        outcome text,
        "durationMs" int,
        at float8,
        event text,
        detail text,
        address text
      )
    where
      d.id = w."deliveryId"
      and (
        w.fence is null
        or w.fence = d.fence
      )
      and d.state = any($2)
      and not (
        d.state = 'unknown'
        and case
          when w.state in ('pending', 'claimed', 'sending', 'retry_wait') then 'pending'
          else w.state
        end = 'pending'
      )
    returning
      d.id,
      d.campaign_id,
      d.application_id,
      d.channel,
      d.user_id,
      d.device_id,
      w.address,
      d.state,
      d.reason,
      d.bounce,
      w."providerId" as provider_id,
      w."providerCode" as provider_code,
      w."providerMessage" as provider_message,
      w.outcome,
      w."durationMs" as duration_ms,
      w.fence,
      w.event,
      w.detail,
      case
        when old.state = 'sending'
          and w.fence is not null then old.updated_at
      end as armed_at,
      old.state as old_state,
      old.reason as old_reason,
      old.bounce as old_bounce,
      case
        when old.state = 'sending' then old.attempts
        else new.attempts
      end as attempt
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
            when old_state in ('pending', 'claimed', 'sending', 'retry_wait') then 'pending'
            else old_state
          end as state,
          case
            when old_state = 'failed' then coalesce(old_reason, 'internal')
            else ''
          end as reason,
          -1 as n
        from changed
        union all
        select
          campaign_id,
          case
            when state in ('pending', 'claimed', 'sending', 'retry_wait') then 'pending'
            else state
          end,
          case
            when state = 'failed' then coalesce(reason, 'internal')
            else ''
          end,
          1
        from changed
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
  tallied as (
    insert into campaign_tallies as t (campaign_id, kind, class, shard, n)
    select
      campaign_id,
      'bounced',
      class,
      $3::smallint,
      sum(n)
    from
      (
        select
          campaign_id,
          old_bounce ->> 'class' as class,
          -1 as n
        from changed
        where
          old_state = 'failed'
          and old_bounce is not null
        union all
        select
          campaign_id,
          bounce ->> 'class',
          1
        from changed
        where
          state = 'failed'
          and bounce is not null
      ) bounced
    group by
      1,
      3
    having sum(n) <> 0
    order by
      1,
      3
    on conflict (campaign_id, kind, class, shard) do update
    set n = t.n + excluded.n
  ),
  known as (
    insert into provider_ids (provider_id)
    select provider_id
    from changed
    where
      channel in ('SMS')
      and provider_id is not null
    on conflict do nothing
  ),
  opened as (
    insert into open_outcomes as o (delivery_id, channel, user_id)
    select
      id,
      channel,
      user_id
    from changed
    where
      channel in ('SMS')
      and state in ('unknown', 'retry_wait')
      and reason = 'outcome_unknown'
    on conflict (delivery_id) do update
    set since = excluded.since
  ),
  logged as (
    insert into campaign_events (
      campaign_id,
      type,
      delivery_id,
      attempt,
      status,
      reason,
      provider_code,
      bounce,
      detail,
      fence,
      armed_at,
      outcome,
      duration_ms
    )
    select
      campaign_id,
      'delivery.' || coalesce(event, state),
      id,
      attempt,
      state,
      reason,
      provider_code,
      bounce,
      coalesce(provider_message, detail),
      fence,
      armed_at,
      outcome,
      duration_ms
    from changed
  )
select id
from changed
