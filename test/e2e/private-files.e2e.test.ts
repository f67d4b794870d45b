import { expect, test } from '@jest/globals';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { shareTidings } from '../stack/share-tidings.ts';

const READ_OR_WRITE = 0o066;
const PASS = 0o011;

/** Files that other accounts may read or write, and folders that they may list, on a way that is open to them. */
function listOpen(folder: string): string[] {
  const { mode } = statSync(folder);
  const found = (mode & READ_OR_WRITE) === 0 ? [] : [folder];
  if ((mode & PASS) === 0) return found;
  const within = readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    const entry = statSync(path);
    if (entry.isDirectory()) return listOpen(path);
    return (entry.mode & READ_OR_WRITE) === 0 ? [] : [path];
  });
  return [...found, ...within];
}

test('other accounts of the machine read nothing of a running installation', async () => {
  const { home } = await shareTidings('Private files');

  expect(readdirSync(join(home, 'logs'))).toContain('postgres.log');
  expect(readdirSync(join(home, 'data', 'sandbox'))).not.toEqual([]);
  expect(listOpen(home)).toEqual([]);
}, 60_000);
