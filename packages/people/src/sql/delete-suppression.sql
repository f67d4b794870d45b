-- In every spelling.
delete from suppressions x
where
  x.application_id = $1
  and x.channel = $2
  and x.reason = $4
  and (
    x.address = any(array[$3, $5])
    or (
      x.channel = 'EMAIL'
      and x.address ~ '[^!-~]'
      and x.mailbox_key = coalesce($5, $3)
    )
  )
