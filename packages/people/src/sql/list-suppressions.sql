-- Each mailbox once: the row of another spelling is left out where there is one of the key.
select
  x.id,
  x.channel,
  x.address,
  x.reason,
  x.created_at
from suppressions x
where
  x.application_id = $1
  and (
    $2::text is null
    or x.channel = $2
  )
  and (
    $3::text[] is null
    or x.address = any($3)
  )
  and (
    $4::uuid is null
    or x.id < $4
  )
  and not exists (
    select
    from suppressions k
    where
      k.application_id = x.application_id
      and k.channel = x.channel
      and k.address = x.mailbox_key
      and k.reason = x.reason
      and k.id <> x.id
  )
order by x.id desc
limit $5
