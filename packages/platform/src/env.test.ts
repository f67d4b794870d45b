import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readEnvironment } from './env.ts';

let folder: string;
let file: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidings-env-'));
  file = join(folder, 'secret');
  await writeFile(file, 's3cret\n');
});
afterAll(() => rm(folder, { recursive: true }));

test('NAME_FILE gives the value of NAME from a file, without the line break at its end', () => {
  expect(readEnvironment({ DATABASE_URL_FILE: file })).toEqual({
    DATABASE_URL_FILE: file,
    DATABASE_URL: 's3cret',
  });
});

test('NAME itself wins over NAME_FILE', () => {
  expect(readEnvironment({ DATABASE_URL: 'direct', DATABASE_URL_FILE: file })['DATABASE_URL']).toBe(
    'direct',
  );
});

test('a file that is missing leaves the variable absent, for the config check to report', () => {
  expect(readEnvironment({ DATABASE_URL_FILE: join(folder, 'nothing') })).not.toHaveProperty(
    'DATABASE_URL',
  );
});

test('a variable of somebody else that only ends in _FILE is left alone', () => {
  expect(readEnvironment({ LOG_FILE: 'relative.log' })).toEqual({ LOG_FILE: 'relative.log' });
});
