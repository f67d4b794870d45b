-- name: change-rendering-notes
update campaign_chunks k
set renderings = least(greatest(k.renderings + x.change, 0), 1000)
from (
  select campaign_id, chunk_no, count(*)::int * $3::int as change
  from unnest($1::uuid[], $2::int[]) as x(campaign_id, chunk_no)
  group by 1, 2
  order by 1, 2
) x
where k.campaign_id = x.campaign_id and k.chunk_no = x.chunk_no
returning k.campaign_id, k.chunk_no, k.renderings - x.change as count, k.rendered_rows

-- name: note-rendered-row
update campaign_chunks
set rendered_rows = array_remove(
  array_append(array_remove(rendered_rows, $3::uuid), $4::uuid), null
)
where campaign_id = $1 and chunk_no = $2

-- name: forget-renderings
update campaign_chunks
set renderings = 0, rendered_rows = '{}'
where campaign_id = $1 and chunk_no = $2
