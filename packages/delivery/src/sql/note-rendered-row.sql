update campaign_chunks
set
  rendered_rows = array_remove(
    array_append(array_remove(rendered_rows, $3::uuid), $4::uuid),
    null
  )
where
  campaign_id = $1
  and chunk_no = $2
