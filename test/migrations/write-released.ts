import { MIGRATIONS_DIR } from '@tidings/database/files';
import { readMigrations } from '@tidings/postgres/migrations/files';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

// `npm run release:schema`: stores the schema of the version in package.json, and its list of
// migrations, as one file that psql runs on an empty database.
const { version } = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'),
) as { readonly version: string };
const migrations = await readMigrations(MIGRATIONS_DIR);

const text = [
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
const file = join(import.meta.dirname, 'released', `${version}.sql`);
writeFileSync(file, text);
process.stdout.write(`${file}\n`);
