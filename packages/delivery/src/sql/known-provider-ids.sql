select provider_id
from provider_ids
where provider_id = any($1)
