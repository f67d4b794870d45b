-- name: list-registered-recipients
select listed.id as custom_user_id
from (
  select d.custom_user_id as id
  from deliveries d
  where d.campaign_id = $2 and d.test_address is null
  union
  select r.id
  from campaign_chunks k cross join lateral jsonb_array_elements_text(
      case when jsonb_typeof(k.recipients) = 'array' then k.recipients else '[]' end
    ) r(id)
  where k.campaign_id = $2
) listed
  join users u on u.application_id = $1 and u.custom_user_id = listed.id
where u.registered_at is not null
order by 1
