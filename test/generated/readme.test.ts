import { expect, test } from '@jest/globals';
import { CHANNELS, ERROR_CODES, PROFILE_FIELDS } from '@tidings/contracts';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { withWorkerRows } from './channel-lists.ts';
import { withConfigurationTable } from './configuration-table.ts';
import { providerErrorsDocument } from './provider-errors-table.ts';

const ROOT_DIR = resolve(import.meta.dirname, '..', '..');
const readme = readFileSync(join(ROOT_DIR, 'README.md'), 'utf8');
const contracts = readFileSync(join(ROOT_DIR, 'packages', 'contracts', 'README.md'), 'utf8');

test('the configuration table is the one the services declare: run `npm run generate`', async () => {
  expect(readme).toBe(await withConfigurationTable(readme));
});

test('the map of folders has a row for the worker of each channel: run `npm run generate`', () => {
  expect(readme).toBe(withWorkerRows(readme));
});

test('the document of provider errors is what their tests expect: run `npm run generate`', () => {
  expect(
    readFileSync(join(ROOT_DIR, 'packages', 'channel-worker', 'PROVIDER-ERRORS.md'), 'utf8'),
  ).toBe(providerErrorsDocument());
});

test('the map of folders names every package and service', () => {
  const folders = ['packages', 'services'].flatMap((folder) =>
    readdirSync(join(ROOT_DIR, folder)).map((name) => `${folder}/${name}`),
  );

  expect(folders.filter((folder) => !readme.includes(`\`${folder}\``))).toEqual([]);
});

test('every link to a file of the repository leads somewhere', () => {
  const links = [...readme.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, path = '']) => path);

  expect(links.length).toBeGreaterThan(5);
  expect(links.filter((path) => !existsSync(join(ROOT_DIR, path)))).toEqual([]);
});

test('every error code, channel and profile field is explained', () => {
  expect(Object.keys(ERROR_CODES).filter((code) => !contracts.includes(`\`${code}\``))).toEqual([]);
  expect(PROFILE_FIELDS.filter((field) => !contracts.includes(`\`${field}\``))).toEqual([]);
  expect(CHANNELS.filter((channel) => !contracts.includes(`\`${channel}\``))).toEqual([]);
});
