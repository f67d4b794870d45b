import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { withConfigurationTable } from './configuration-table.ts';

/** `npm run generate`: writes what is made from the code; a test compares. */
const README = join(resolve(import.meta.dirname, '..', '..'), 'README.md');
writeFileSync(README, await withConfigurationTable(readFileSync(README, 'utf8')));
