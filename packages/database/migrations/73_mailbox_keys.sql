-- One key for every spelling of a mailbox. The code makes it, since Postgres knows no domains of other alphabets. It is
-- kept only where the address has other characters than printable ASCII: else the address in lower case is the key. The
-- version before writes none: the scheduler adds what is missing, and both the key and the spelling are asked.
set local lock_timeout = '5s';
alter table users
  add column mailbox_key text collate "C",
  -- The email_key that mailbox_key was made of: after a change by the version before, it no longer counts.
  add column mailbox_spelling text collate "C";
-- A mailbox is suppressed by a row with its key as address. A row of another spelling names the key here: the version
-- before finds the mailbox by it.
alter table suppressions add column mailbox_key text collate "C";
