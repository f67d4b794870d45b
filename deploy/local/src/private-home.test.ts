import { afterEach, beforeEach, expect, test } from '@jest/globals';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { homeLayout } from './home.ts';
import { makeHomePrivate } from './private-home.ts';

let outer: string;
let home: string;
beforeEach(() => {
  outer = mkdtempSync(join(tmpdir(), 'tidings-private-'));
  home = join(outer, 'home');
});
afterEach(() => rmSync(outer, { recursive: true }));

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

/** As versions before made it. */
function makeOpenHome(): void {
  const { dataDir, logDir, runDir, ownerDir } = homeLayout(home);
  for (const folder of [logDir, runDir, ownerDir, dataDir('sandbox'), dataDir('kafka-1')])
    mkdirSync(folder, { recursive: true });
  for (const file of [
    'local.json',
    'logs/tidings.log',
    'logs/tidings.log.1',
    'run/tidings.json',
    'owner/owner.json',
    'data/sandbox/messages-1.jsonl',
    'data/postgres.password',
  ])
    writeFileSync(join(home, file), 'x');
  for (const name of readdirSync(home, { recursive: true, encoding: 'utf8' })) {
    const path = join(home, name);
    chmodSync(path, statSync(path).isDirectory() ? 0o755 : 0o644);
  }
  chmodSync(home, 0o755);
}

/** Paths that other accounts may read or list. */
const listOpen = (): string[] =>
  readdirSync(home, { recursive: true, encoding: 'utf8' }).filter(
    (name) => (statSync(join(home, name)).mode & 0o066) !== 0,
  );

test.each([
  ['of an account', false, '700'],
  ['of root, whose Postgres is another account', true, '711'],
])('a home %s that others could read is closed', (_whose, isRoot, passable) => {
  makeOpenHome();

  makeHomePrivate(home, isRoot);

  expect(listOpen()).toEqual([]);
  expect([home, join(home, 'data')].map(modeOf)).toEqual([passable, passable]);
  expect(['logs', 'run', 'owner', 'data/sandbox'].map((name) => modeOf(join(home, name)))).toEqual([
    '700',
    '700',
    '700',
    '700',
  ]);
});

test('a new home is private before anything is in it', () => {
  makeHomePrivate(home, false);

  expect(modeOf(home)).toBe('700');
  expect(readdirSync(home).toSorted()).toEqual(['data', 'logs', 'owner', 'run']);
});

test('what a link leads to, and what belongs to another account, stays as it is', () => {
  makeOpenHome();
  const elsewhere = join(outer, 'elsewhere');
  writeFileSync(elsewhere, 'x');
  chmodSync(elsewhere, 0o644);
  symlinkSync(elsewhere, join(home, 'logs', 'linked.log'));
  const postgres = join(home, 'data', 'postgres');
  mkdirSync(postgres);
  chmodSync(postgres, 0o750);
  const isRoot = process.getuid?.() === 0;
  if (isRoot) chownSync(postgres, 65_534, 65_534);

  makeHomePrivate(home, true);

  expect(modeOf(elsewhere)).toBe('644');
  expect(modeOf(postgres)).toBe(isRoot ? '750' : '700');
});
