import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { releasedSchema } from './released-schema.ts';

// `npm run release:schema`: stores the schema of the version in package.json.
const { version } = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'),
) as { readonly version: string };
const file = join(import.meta.dirname, 'released', `${version}.sql`);
writeFileSync(file, await releasedSchema(version));
process.stdout.write(`${file}\n`);
