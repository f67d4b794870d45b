-- By the key of the mailbox, and by the spelling, by which the version before looks for it.
insert into suppressions (application_id, channel, address, reason, mailbox_key)
select
  $1::uuid,
  $2::text,
  w.address,
  $4::text,
  case
    when w.address ~ '[^!-~]' then $5::text
  end
from unnest(array[$3::text, $5::text]) as w(address)
where w.address is not null
on conflict (application_id, channel, address, reason) do nothing
