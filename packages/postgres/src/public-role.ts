import { PUBLIC_ROLE_FILE } from '@tidings/database/files';
import { readFile } from 'node:fs/promises';
import type { Client } from 'pg';

/**
 * The role of the services that face the internet, or a group that contains it. The server
 * administrator creates it.
 */
export const PUBLIC_ROLE = 'tidings_public';

/**
 * If the role exists, grants the rights in `public-role.sql` and revokes all others in the schema,
 * in one transaction.
 */
export async function grantPublicRole(client: Pick<Client, 'query'>): Promise<void> {
  const { rows } = await client.query<{ schema: string }>(
    'select current_schema() as schema from pg_roles where rolname = $1',
    [PUBLIC_ROLE],
  );
  const [{ schema } = { schema: undefined }] = rows;
  if (schema === undefined) return;
  const rights = await readFile(PUBLIC_ROLE_FILE, 'utf8');
  // Partitions need no grants: access to the parent is enough.
  await client.query(`begin;
    do $$
    declare held record;
    begin
      for held in
        select distinct c.oid::regclass as name, case c.relkind when 'S' then 'sequence' else 'table' end as kind
        from pg_class c left join pg_attribute a on a.attrelid = c.oid
        where c.relnamespace = '"${schema}"'::regnamespace
          and exists (select from aclexplode(c.relacl || a.attacl) where grantee = '${PUBLIC_ROLE}'::regrole)
      loop
        execute format('revoke all on %s %s from ${PUBLIC_ROLE}', held.kind, held.name);
      end loop;
    end $$;
    grant usage on schema "${schema}" to ${PUBLIC_ROLE};
    ${rights}
    commit`);
}
