import { expect, test } from '@jest/globals';
import { CHANNELS } from '@tidings/contracts/channels/channels';
import { ERROR_CODES } from '@tidings/contracts/errors/error-codes';
import { PROFILE_FIELDS } from '@tidings/contracts/ingest/ingest';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { withWorkerRows } from './channel-lists.ts';
import { withConditionKinds } from './condition-kinds.ts';
import { withConfigurationTable } from './configuration-table.ts';
import { withOneProcessTable } from './one-process-table.ts';
import { withAlerts } from './runbooks.ts';
import { providerErrorsDocument } from './provider-errors-table.ts';

const ROOT_DIR = resolve(import.meta.dirname, '..', '..');
const read = (path: string): string => readFileSync(join(ROOT_DIR, path), 'utf8');
const architecture = read('docs/architecture.md');
const contracts = read('packages/contracts/README.md');

test('docs/configuration.md lists the settings that the services declare: run `npm run generate`', async () => {
  const configuration = read('docs/configuration.md');

  expect(configuration).toBe(await withConfigurationTable(configuration));
});

test('docs/operations/one-process.md lists the settings that differ in one process: run `npm run generate`', async () => {
  const document = read('docs/operations/one-process.md');

  expect(document).toBe(await withOneProcessTable(document));
});

test('docs/operations/runbooks.md has every alert of the chart: run `npm run generate`', () => {
  const runbooks = read('docs/operations/runbooks.md');

  expect(runbooks).toBe(withAlerts(runbooks));
});

test('the map of folders has a row for the worker of each channel: run `npm run generate`', () => {
  expect(architecture).toBe(withWorkerRows(architecture));
});

test('the reference has a row for each kind of condition: run `npm run generate`', () => {
  expect(contracts).toBe(withConditionKinds(contracts));
});

test('PROVIDER-ERRORS.md lists the errors that the tests provoke: run `npm run generate`', () => {
  expect(read('packages/channel-worker/PROVIDER-ERRORS.md')).toBe(providerErrorsDocument());
});

test('the map of folders names every package and service', () => {
  const folders = ['packages', 'services'].flatMap((folder) =>
    readdirSync(join(ROOT_DIR, folder))
      .map((name) => `${folder}/${name}`)
      .filter((path) => existsSync(join(ROOT_DIR, path, 'package.json'))),
  );

  expect(folders.filter((folder) => !architecture.includes(`\`${folder}\``))).toEqual([]);
});

test('README.md has at most 10 KB', () => {
  expect(statSync(join(ROOT_DIR, 'README.md')).size).toBeLessThanOrEqual(10_240);
});

test('the reference explains every error code, channel and profile field', () => {
  expect(Object.keys(ERROR_CODES).filter((code) => !contracts.includes(`\`${code}\``))).toEqual([]);
  expect(PROFILE_FIELDS.filter((field) => !contracts.includes(`\`${field}\``))).toEqual([]);
  expect(CHANNELS.filter((channel) => !contracts.includes(`\`${channel}\``))).toEqual([]);
});
