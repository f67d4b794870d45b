-- What a search compares. Letter case, the width of a letter and how it is composed do not count, in any script. Neither
-- do the letters that keyboards differ in, or that writers leave out: Arabic and Persian yeh and kaf, the Russian yo, and
-- the joiner within Persian words. It does not depend on the collation of the database.
create function search_key(text text) returns text language sql immutable parallel safe
  return translate(
    casefold(normalize(text, NFKC) collate "pg_unicode_fast"),
    U&'\064A\0649\0643\0451\200C',
    U&'\06CC\06CC\06A9\0435');

-- The key of a name. It is cut, since an index refuses long values.
create function name_key(name text) returns text language sql immutable parallel safe
  return left(search_key(left(name, 100)), 100);

-- What `like all` compares with a search_key that has all of these words. Every character of them is data.
create function search_patterns(words text[]) returns text[] language sql immutable parallel safe
  return array(
    select '%' || regexp_replace(search_key(word), '([\\%_])', '\\\1', 'g') || '%' from unnest(words) as word);
