-- A claim rewrites all rows of a page in one statement: half of a page has to be free for that, or the other half of the
-- new versions goes to other pages, with an entry in every index each.
alter table deliveries set (fillfactor = 45);
alter table delivery_addresses set (fillfactor = 45);
