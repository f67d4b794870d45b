set local lock_timeout = '5s';

-- Segments whose members are known at each moment, because an automation names them.
create table live_segments (
  application_id uuid not null,
  slug text not null collate "C",
  -- What another build knew of a person is of another condition.
  build_id uuid not null,
  -- A hash of what it asks: of its condition, with those of the segments that it names, and of the names of its events.
  fingerprint text not null,
  -- The transaction that began to listen: changes are announced by those that begin after it.
  listens_since bigint not null,
  created_at timestamptz not null default now(),
  primary key (application_id, slug)
);

-- How far a build is, by shard of people.
create table live_segment_builds (
  application_id uuid not null,
  slug text not null collate "C",
  shard smallint not null,
  build_id uuid not null,
  -- The customUserId up to which it has looked.
  built_up_to text collate "C",
  is_built boolean not null default false,
  primary key (application_id, slug, shard)
);
create index live_segment_builds_open on live_segment_builds (shard) where not is_built;

-- Members of live segments, those who have been, and those whom time alone may make one.
create table segment_members (
  application_id uuid not null,
  slug text not null collate "C",
  user_id uuid not null,
  shard smallint not null,
  build_id uuid not null,
  is_member boolean not null,
  -- Since when they are a member, or none. -infinity: since before the segment was live.
  since timestamptz not null,
  -- Before it time alone does not change the answer.
  recheck_at timestamptz,
  primary key (application_id, slug, user_id)
) with (fillfactor = 80);
create index segment_members_by_recheck on segment_members (shard, recheck_at) where recheck_at is not null;
create index segment_members_by_user on segment_members (user_id);
