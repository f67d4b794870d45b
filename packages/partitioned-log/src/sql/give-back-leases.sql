-- $1 group, $2 member
with released as (
  update log_leases set owner = null where grp = $1 and owner = $2 returning part
)
select pg_notify('tidings_log', 'group/' || $1)::text as notified from released limit 1
