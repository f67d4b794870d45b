-- name: find-drafts-of-person
-- Drafts that have the id as a whole text, or an address within any text.
select d.id
from campaign_drafts d
where d.application_id = $1
  and (
    strpos(d.content::text, to_jsonb($2::text)::text) > 0
    or exists (
      select
      from unnest($3::text[]) as a (address)
      where strpos(
          lower(d.content::text),
          lower(substr(to_jsonb(a.address)::text, 2, length(to_jsonb(a.address)::text) - 2))
        ) > 0
    )
  )
order by d.id

-- name: lock-draft-to-forget
select content::text as content from campaign_drafts where id = $1 for update

-- name: write-forgetting-draft
update campaign_drafts
set content = $2::jsonb, version = version + 1, updated_at = now(), updated_by = 'deletion'
where id = $1
