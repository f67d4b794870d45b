-- name: forget-announcements
update campaign_chunks
set announced_partition = null, announced_offset = null
where announced_partition is not null
