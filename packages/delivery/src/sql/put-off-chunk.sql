update campaign_chunks u
set
  due_at = greatest(u.due_at, now() + $5::float8 * interval '1 ms'),
  written_at = case
    when u.written_at > statement_timestamp() + interval '60 s' then u.written_at
    else now()
  end,
  announced_offset = case
    when (
      u.announced_partition = $3::int
      and u.announced_offset <= $4::bigint
    ) then null
    else u.announced_offset
  end
where
  u.campaign_id = $1
  and u.chunk_no = $2
  and u.due_at is not null
