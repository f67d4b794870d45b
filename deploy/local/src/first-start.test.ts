import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { palette } from '../progress.mjs';
import { isFirstStart } from './first-start.ts';
import { homeLayout } from './home.ts';
import type { LocalFile } from './local-file.ts';
import { deleteData } from './reset.ts';
import { startSummary } from './start-summary.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'tidings-first-'));
});
afterEach(() => rmSync(home, { recursive: true }));

test('a start is the first until the demonstration application exists, and again after its data is deleted', () => {
  const states = [isFirstStart(home)];
  // A start that was interrupted while the stores started.
  mkdirSync(homeLayout(home).dataDir('postgres'), { recursive: true });
  states.push(isFirstStart(home));
  writeFileSync(homeLayout(home).credentialsFile, '{}');
  states.push(isFirstStart(home));
  deleteData(home);
  states.push(isFirstStart(home));

  expect(states).toEqual([true, true, false, true]);
});

test.each([
  [true, 'Run the demonstration again, in another terminal: npm run demo'],
  [false, 'Run the demonstration, in another terminal: npm run demo'],
])('the last lines of a start show how to run the demonstration: %s', (hasRunDemo, line) => {
  const local = {
    baseUrl: 'http://b',
    httpsUrl: 'https://b',
    dashboardUrl: 'http://b/dashboard',
    sandboxUrl: 'http://s',
    applicationId: 'a',
    form: 'one-process',
  } as LocalFile;
  const lines = startSummary(local, {
    colour: palette(process.stdout, { NO_COLOR: '1' }),
    setupLink: null,
    hasRunDemo: hasRunDemo,
  });

  expect(lines).toContain(line);
  expect(lines).toContain('http://b/docs');
});

test.each([
  ['one-process', 'one process on Postgres'],
  ['services-on-kafka', 'a process for each service, on Kafka, Postgres and Redis'],
] as const)('the last lines of a start say what it runs as: %s', (form, line) => {
  const lines = startSummary({ form } as LocalFile, {
    colour: palette(process.stdout, { NO_COLOR: '1' }),
    setupLink: null,
    hasRunDemo: true,
  });

  expect(lines).toContain(`Runs as        ${line}`);
});
