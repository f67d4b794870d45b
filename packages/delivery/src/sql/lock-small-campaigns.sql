select c.id
from
  campaigns c
  join (
    select
      id,
      sum(recipients_unique) over (
        order by
          recipients_unique,
          id
      ) - recipients_unique as before
    from campaigns
    where
      id = any($1)
      and lane = 'express'
      and status in ('queued', 'sending')
      and expanded_at is null
  ) sized on sized.id = c.id
where
  sized.before < $2
  and c.status in ('queued', 'sending')
  and c.expanded_at is null
order by c.id
for update of c skip locked
