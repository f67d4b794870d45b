select
  d.custom_user_id,
  d.attempts > 0
    or exists (
      select 1
      from delivery_addresses a
      where
        a.delivery_id = d.id
        and a.attempts > 0
    ) as is_begun
from deliveries d
where
  d.id = $2
  and d.campaign_id = $1
