-- A dispatch record at or after the chunk's last one no longer waits once it is read.
update campaign_chunks u
set
  due_at = least(u.due_at, next.claim),
  written_at = case
    when u.written_at > statement_timestamp() + interval '60 s' then u.written_at
    else now()
  end,
  announced_offset = case
    when (
      u.announced_partition = next.read_partition::int
      and u.announced_offset <= next.read_offset::bigint
    ) then null
    else u.announced_offset
  end
from
  (
    select
      k.campaign_id,
      k.chunk_no,
      x.read_partition,
      x.read_offset,
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
      ) as claim
    from
      unnest($1::uuid[], $2::int[], $3::int[], $4::bigint[]) as x(
        campaign_id,
        chunk_no,
        read_partition,
        read_offset
      )
      join campaign_chunks k on k.campaign_id = x.campaign_id
        and k.chunk_no = x.chunk_no
    order by
      1,
      2
  ) next
where
  u.campaign_id = next.campaign_id
  and u.chunk_no = next.chunk_no
  and next.claim is not null
  and (
    u.due_at is null
    or u.due_at > next.claim
    or (
      u.announced_partition = next.read_partition::int
      and u.announced_offset <= next.read_offset::bigint
    )
  )
