select
  id,
  message::text as message,
  (
    select jsonb_agg(t - '{message,variants}'::text[])
    from jsonb_array_elements(templates) t
  ) as templates
from campaigns
where id = any($1)
