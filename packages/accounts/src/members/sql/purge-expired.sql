-- name: purge-sessions
delete from sessions
where ctid = any(
    array(
      select ctid
      from sessions
      where seen_at <= $1 or created_at <= $2
      limit $3
      for update skip locked
    )
  )

-- name: purge-links
delete from welcome_links
where ctid = any(
    array(
      select ctid
      from welcome_links
      where expires_at <= $1
      limit $2
      for update skip locked
    )
  )

-- name: purge-sign-in-failures
delete from sign_in_failures
where ctid = any(
    array(
      select ctid
      from sign_in_failures
      where failed_at <= $1 and blocked_until <= $2 and coalesce(let_in_at <= $3, true)
      limit $4
      for update skip locked
    )
  )
