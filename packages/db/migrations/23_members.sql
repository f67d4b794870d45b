-- Who signs in to the pages. An installation is one organisation: its members see all of its applications.
create table members (
  id uuid primary key,
  -- In small letters, so that one person is one row.
  email text not null unique,
  name text not null,
  role text not null check (role in ('owner', 'admin', 'developer', 'marketer', 'viewer')),
  -- Empty until an invitation is accepted, and of those who come by the identity provider alone.
  password_hash text,
  -- Issuer and subject, of those who have come by the identity provider.
  identity text unique,
  created_at timestamptz not null default now(),
  signed_in_at timestamptz
);

create table sessions (
  token_hash bytea primary key,
  member_id uuid not null references members (id) on delete cascade,
  created_at timestamptz not null,
  seen_at timestamptz not null
);
create index sessions_by_member on sessions (member_id);

-- One-time links. Whose password one sets; without a member it makes the first owner.
create table welcome_links (
  token_hash bytea primary key,
  member_id uuid references members (id) on delete cascade,
  expires_at timestamptz not null
);
create index welcome_links_by_member on welcome_links (member_id);

-- Failed sign-ins of one account from one address; the key is a hash of both.
create table sign_in_failures (
  key bytea primary key,
  failures integer not null,
  failed_at timestamptz not null,
  blocked_until timestamptz not null
);
