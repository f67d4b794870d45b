import { MIGRATIONS_DIR } from '@tidings/database/files';
import { readMigrations } from '@tidings/postgres/migrations/files';

/** What this version makes of an empty database, with its list of migrations, as psql runs it. */
export async function releasedSchema(version: string): Promise<string> {
  const migrations = await readMigrations(MIGRATIONS_DIR);
  return [
    `-- What Tidings ${version} makes of an empty database. Written by \`npm run release:schema\`, and never edited:`,
    '-- each later version upgrades from here in the tests.',
    'begin;',
    '',
    // In one transaction no index is built concurrently; it is the same index.
    ...migrations.map(({ sql }) => sql.replaceAll(/\bindex concurrently\b/g, 'index')),
    'create table migrations (',
    '  id integer primary key,',
    '  name varchar(100) unique not null,',
    '  hash varchar(40) not null,',
    '  executed_at timestamp default current_timestamp',
    ');',
    'insert into migrations (id, name, hash) values',
    `${migrations.map(({ id, name, hash }) => `  (${id}, '${name}', '${hash}')`).join(',\n')};`,
    'commit;',
    '',
  ].join('\n');
}
