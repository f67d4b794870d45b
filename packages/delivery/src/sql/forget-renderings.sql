update campaign_chunks
set
  renderings = 0,
  rendered_rows = '{}'
where
  campaign_id = $1
  and chunk_no = $2
