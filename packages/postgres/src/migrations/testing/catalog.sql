-- The catalog of a schema, one row per object: its kind, its name, and a text that is equal for
-- objects of the same shape. The list of migrations is excluded.
with tables as (
  select c.*, c.oid::regclass::text as name
  from pg_class c
  where c.relnamespace = current_schema()::regnamespace
    and c.relname not like 'migrations%'
)
select
  'table' as kind,
  c.name,
  concat_ws(
    ' ',
    c.relkind,
    c.relpersistence,
    c.relreplident,
    (select a.amname from pg_am a where a.oid = c.relam),
    c.reltablespace,
    c.relrowsecurity,
    (select string_agg(o, ',' order by o) from unnest(c.reloptions) o),
    pg_get_partkeydef(c.oid),
    (select string_agg(i.inhparent::regclass::text, ',') from pg_inherits i where i.inhrelid = c.oid),
    pg_get_expr(c.relpartbound, c.oid),
    pg_get_userbyid(c.relowner) = current_user,
    c.relacl::text
  ) as shape
from tables c
union all
select
  'column',
  c.name || '.' || a.attname,
  concat_ws(
    ' ',
    rank() over (partition by a.attrelid order by a.attnum),
    format_type(a.atttypid, a.atttypmod),
    (select l.collname from pg_collation l where l.oid = a.attcollation),
    a.attnotnull,
    a.attstorage,
    a.attcompression,
    a.attidentity,
    a.attgenerated,
    a.attstattarget,
    pg_get_expr(d.adbin, d.adrelid),
    a.attacl::text
  )
from tables c
join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
where c.relkind in ('r', 'p', 'v', 'm')
union all
select
  'index',
  c.name || ' ' || i.indexrelid::regclass,
  concat_ws(
    ' ',
    pg_get_indexdef(i.indexrelid),
    i.indisvalid,
    i.indisready,
    i.indislive,
    i.indisunique,
    i.indisprimary,
    i.indisclustered,
    i.indisreplident,
    i.indnullsnotdistinct,
    i.indimmediate
  )
from tables c
join pg_index i on i.indrelid = c.oid
union all
select
  'constraint',
  c.name || ' ' || n.conname,
  concat_ws(
    ' ',
    n.contype,
    pg_get_constraintdef(n.oid),
    n.convalidated,
    n.conenforced,
    n.condeferrable,
    n.connoinherit
  )
from tables c
join pg_constraint n on n.conrelid = c.oid
union all
select
  'trigger',
  c.name || ' ' || t.tgname,
  concat_ws(' ', pg_get_triggerdef(t.oid), t.tgenabled)
from tables c
join pg_trigger t on t.tgrelid = c.oid and not t.tgisinternal
union all
-- Line breaks may differ.
select
  'function',
  p.oid::regprocedure::text,
  concat_ws(
    ' ',
    replace(regexp_replace(pg_get_functiondef(p.oid), '\s+', ' ', 'g'), '( ', '('),
    pg_get_userbyid(p.proowner) = current_user,
    p.proacl::text
  )
from pg_proc p
where p.pronamespace = current_schema()::regnamespace
union all
select
  'sequence',
  c.name,
  concat_ws(
    ' ',
    s.seqtypid::regtype,
    s.seqstart,
    s.seqincrement,
    s.seqmin,
    s.seqmax,
    s.seqcache,
    s.seqcycle,
    (
      select string_agg(d.refobjid::regclass || '.' || d.refobjsubid, ',')
      from pg_depend d
      where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype in ('a', 'i')
    )
  )
from tables c
join pg_sequence s on s.seqrelid = c.oid
union all
select
  'type',
  t.typname,
  concat_ws(
    ' ',
    t.typtype,
    (select string_agg(e.enumlabel, ',' order by e.enumsortorder) from pg_enum e where e.enumtypid = t.oid)
  )
from pg_type t
where t.typnamespace = current_schema()::regnamespace and t.typtype <> 'c' and t.typcategory <> 'A'
union all
select 'schema', n.nspname, n.nspacl::text
from pg_namespace n
where n.oid = current_schema()::regnamespace
union all
select 'extension', e.extname, e.extversion
from pg_extension e
order by 1, 2
