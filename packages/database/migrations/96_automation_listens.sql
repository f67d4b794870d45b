set local lock_timeout = '5s';

-- What automations of an application wait for: slugs of event definitions, and '@registered' and '@profile'. Only what
-- stands here is appended to the topic of changes of users.
create table automation_listens (
  application_id uuid not null,
  slug text not null collate "C",
  primary key (application_id, slug)
);
