with
  marked as (
    select *
    from unnest($1::uuid[], $2::int[], $3::timestamptz[]) as a(campaign_id, chunk_no, lease_until)
  )
update campaign_chunks k
set
  leased_until = a.lease_until,
  written_at = case
    when k.written_at > statement_timestamp() + interval '60 s' then k.written_at
    else now()
  end
from
  (
    select
      campaign_id,
      chunk_no,
      min(lease_until) as lease_until
    from marked
    group by
      1,
      2
    order by
      1,
      2
  ) a
where
  k.campaign_id = a.campaign_id
  and k.chunk_no = a.chunk_no
  and (
    k.leased_until is null
    or k.leased_until > a.lease_until
    or k.leased_until <= now()
  )
