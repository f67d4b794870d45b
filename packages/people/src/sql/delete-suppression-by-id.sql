-- In every spelling.
delete from suppressions x
using suppressions named
where
  named.id = $2
  and named.application_id = $1
  and x.application_id = named.application_id
  and x.channel = named.channel
  and x.reason = named.reason
  and (
    x.address = any(array[named.address, named.mailbox_key])
    or (
      x.channel = 'EMAIL'
      and x.address ~ '[^!-~]'
      and x.mailbox_key = coalesce(named.mailbox_key, named.address)
    )
  )
