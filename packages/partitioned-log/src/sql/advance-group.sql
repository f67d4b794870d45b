-- A new generation: all members compute their shares again.
with changed as (
  update log_groups
  set
    generation = generation + 1,
    changed_at = clock_timestamp()
  where grp = $1
  returning generation
)
select
  generation,
  pg_notify('tidings_log', 'group/' || $1)::text as notified
from changed
