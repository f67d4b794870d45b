set local lock_timeout = '5s';

-- Whom each member sends tests of what they write: user ids, e-mail addresses, phone numbers.
create table test_addresses (
  application_id uuid not null,
  member_id uuid not null references members (id) on delete cascade,
  addresses text[] not null,
  primary key (application_id, member_id)
);
create index test_addresses_by_member on test_addresses (member_id);
