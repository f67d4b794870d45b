import { expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT_DIR } from '../helm/helm.ts';
import { readOptions } from './options.ts';
import { ROWS } from './rows.ts';

const NAMES = ROWS.map(({ name }) => name);
const NEEDED = ['--load', 'kind load docker-image', '--host', '172.18.0.1'];

test('--load and --host are required, all else has a default', () => {
  expect(readOptions(NEEDED, NAMES)).toEqual({
    load: 'kind load docker-image',
    host: '172.18.0.1',
    stores: {},
    rows: [],
  });
});

test('base, stores and rows are as given', () => {
  expect(
    readOptions([...NEEDED, '--base', 'node:24', '--kafka', 'kafka:4', 'scaling', 'drain'], NAMES),
  ).toEqual({
    load: 'kind load docker-image',
    host: '172.18.0.1',
    base: 'node:24',
    stores: { kafka: 'kafka:4' },
    rows: ['scaling', 'drain'],
  });
});

test.each([
  ['no way to load images', NEEDED.slice(2)],
  ['no address', NEEDED.slice(0, 2)],
  ['an unknown option', [...NEEDED, '--seeds', '3']],
  ['an unknown row', [...NEEDED, 'scalign']],
])('rejects %s', (_what, words) => {
  expect(readOptions(words, NAMES)).toBeNull();
});

test('every row has a unique name, and the guide describes it', () => {
  const guide = readFileSync(join(ROOT_DIR, 'docs', 'operations', 'test-a-cluster.md'), 'utf8');

  expect(new Set(NAMES).size).toBe(NAMES.length);
  expect(NAMES.filter((name) => !new RegExp(`^\\|.*\`${name}\`.*\\|`, 'm').test(guide))).toEqual(
    [],
  );
});
