select
  user_id,
  proved_user_id
from devices
where
  user_id = any($1)
  and user_id_at_proof = user_id
  and proved_user_id is not null
