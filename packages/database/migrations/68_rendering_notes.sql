-- How many processes began to render rows of a personalised chunk and have not taken their note back, and, once they
-- are rendered one by one, which rows are being rendered. The version before writes no notes.
set local lock_timeout = '5s';
alter table campaign_chunks
  add column renderings smallint not null default 0,
  add column rendered_rows uuid[] not null default '{}';
