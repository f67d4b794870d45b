import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT_DIR } from '../home.ts';
import { listSourceFolders } from './source-folders.ts';
import { readServiceTable } from './read-service-table.ts';
import { watchSources } from './watch-sources.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidings-watch-'));
  for (const name of ['sql', 'testing']) mkdirSync(join(folder, name));
  writeFileSync(join(folder, 'sql', 'query.sql'), 'SELECT 1');
});
afterEach(() => rmSync(folder, { recursive: true }));

test('a file that is read, not imported, counts; a test and its helpers do not', async () => {
  const sources = watchSources([folder]);
  const next = sources.next();

  writeFileSync(join(folder, 'server.test.ts'), '');
  writeFileSync(join(folder, 'testing', 'rig.ts'), '');
  writeFileSync(join(folder, 'sql', 'query.sql'), 'SELECT 2');

  expect(await next).toBe(join(folder, 'sql', 'query.sql'));
  sources.close();
});

test('a change that came before it was asked for is not lost, and several at once are one', async () => {
  const sources = watchSources([folder]);
  for (const name of ['a.ts', 'b.ts', 'c.ts']) writeFileSync(join(folder, name), '');

  expect(await sources.next()).toMatch(/[abc]\.ts$/);

  const next = sources.next();
  sources.close();
  expect(await next).toBeUndefined();
});

test('a service runs its own sources and those of every package below it', () => {
  const folders = listSourceFolders('gateway').map((path) => path.slice(ROOT_DIR.length + 1));

  expect(folders).toContain(join('services', 'gateway', 'src'));
  // The gateway names access; access alone brings accounts in some versions, platform is named by all.
  expect(folders).toEqual(
    expect.arrayContaining(
      ['access', 'platform', 'postgres'].map((n) => join('packages', n, 'src')),
    ),
  );
  expect(folders.every((path) => !path.includes('testing'))).toBe(true);
});

test('the sources of every service are found', () => {
  for (const { name } of readServiceTable().services)
    expect(listSourceFolders(name).length).toBeGreaterThan(1);
});
