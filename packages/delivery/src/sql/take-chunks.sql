with
  looked as (
    select
      k.campaign_id,
      k.chunk_no,
      c.application_id,
      c.channel,
      c.lane,
      case
        when c.channel in ('WEB_PUSH', 'APP_PUSH') then least(
          (
            select
              min(
                case
                  when d.state <> 'sending'
                    and d.updated_at > statement_timestamp() + interval '60 s' then now()
                  when d.state in ('claimed', 'sending') then d.lease_until
                  else d.next_at
                end
              )
            from deliveries d
            where
              d.campaign_id = k.campaign_id
              and d.chunk_no = k.chunk_no
              and d.state in ('pending', 'retry_wait', 'claimed', 'sending')
              and (
                d.user_id is not null
                or d.test_address is not null
              )
              and d.addressed_at is null
          ),
          (
            select
              min(
                case
                  when d.state <> 'sending'
                    and d.updated_at > statement_timestamp() + interval '60 s' then now()
                  when d.state in ('claimed', 'sending') then d.lease_until
                  else d.next_at
                end
              )
            from delivery_addresses d
            where
              d.campaign_id = k.campaign_id
              and d.chunk_no = k.chunk_no
              and d.state in ('pending', 'retry_wait', 'claimed', 'sending')
          )
        )
        else (
          select
            min(
              case
                when d.state <> 'sending'
                  and d.updated_at > statement_timestamp() + interval '60 s' then now()
                when d.state in ('claimed', 'sending') then d.lease_until
                else d.next_at
              end
            )
          from deliveries d
          where
            d.campaign_id = k.campaign_id
            and d.chunk_no = k.chunk_no
            and d.state in ('pending', 'retry_wait', 'claimed', 'sending')
            and (
              d.user_id is not null
              or d.test_address is not null
            )
        )
      end as next_claim,
      c.status = 'sending'
        and c.expires_at > now()
        and not (
          c.source <> 'test'
          and exists (
            select
            from
              channel_pauses p
              join channel_settings s on s.application_id = p.application_id
                and s.channel = p.channel
                and s.version = p.version
            where
              p.application_id = c.application_id
              and p.channel = c.channel
          )
        ) as is_sending,
      c.status in ('queued', 'sending', 'paused') as is_at_work
    from
      campaign_chunks k
      join campaigns c on c.id = k.campaign_id
      join unnest($1::uuid[], $2::int[]) as x(campaign_id, chunk_no)
        on k.campaign_id = x.campaign_id
        and k.chunk_no = x.chunk_no
  ),
  scheduled as (
    update campaign_chunks k
    set
      due_at = case
        when l.next_claim is null
          or not l.is_at_work then null
        when l.next_claim > now() then l.next_claim
        when l.is_sending then now() + $4::float8 * interval '1 s'
        else now() + $3::float8 * interval '1 ms'
      end,
      written_at = case
        when k.written_at > statement_timestamp() + interval '60 s' then k.written_at
        else now()
      end
    from looked l
    where
      k.campaign_id = l.campaign_id
      and k.chunk_no = l.chunk_no
  )
select
  campaign_id,
  chunk_no,
  application_id,
  channel,
  lane
from looked
where
  is_sending
  and next_claim <= now()
