import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { IngestEnvelope } from '@tidings/contracts/ingest/ingest';
import { PUSH_WITHOUT_SEGMENT } from '@tidings/contracts/push/push';
import { ConditionSchema } from '@tidings/contracts/segments/condition-schema';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemIds } from '@tidings/platform';
import { openPrecompiledValidators, writePrecompiledValidators } from './precompiled-validators.ts';
import { AJV_OPTIONS } from './validator-options.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidings-validators-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const event = { type: 'action', id: 'm1', time: 1, customName: 'viewed' };
const batch = (message: object) => ({ customUserId: 'ada', messages: [{ ...event, ...message }] });
const push = (fields: object) => ({
  recipients: ['ada'],
  channel: 'EMAIL',
  message: { title: 'Hi', body: 'Hi' },
  ...fields,
});
const ID = { type: 'string', format: 'uuid' };

test.each<[name: string, schema: object, values: readonly unknown[]]>([
  [
    'a batch',
    IngestEnvelope,
    [batch({}), batch({ id: '' }), batch({ type: 'x' }), batch({ attributes: { a: [] } }), 5],
  ],
  [
    'a push',
    PUSH_WITHOUT_SEGMENT,
    [push({}), push({ channel: 'SMS' }), push({ recipients: [] }), push({ ttl: 'x' }), null],
  ],
  [
    'a condition',
    ConditionSchema,
    [
      { field: 'country', is: 'DE' },
      { all: [{ not: { field: 'country', is: 'DE' } }] },
      { all: [{ not: { field: 'country' } }] },
      { all: [], any: [] },
    ],
  ],
  ['a UUID', ID, [systemIds.uuid(), 'none', 5]],
])('%s: what was compiled ahead of time accepts the same', (_name, schema, values) => {
  writePrecompiledValidators([ID, schema, schema], folder);
  const compiled = new Ajv2020(AJV_OPTIONS).compile(schema);
  const precompiled = openPrecompiledValidators(folder).find(schema);
  const results = values.map((value) => compiled(value));

  expect(new Set(results)).toEqual(new Set([true, false]));
  expect(values.map((value) => precompiled?.(value))).toEqual(results);
});

test('a schema that was changed since is not found, and no unfinished file is left', () => {
  writePrecompiledValidators([ID], folder);

  expect(openPrecompiledValidators(folder).find({ ...ID, maxLength: 5 })).toBe(undefined);
  expect(readdirSync(folder)).toEqual([expect.stringMatching(/^validators-ajv-[\d.]+\.cjs$/)]);
});

test('without a file, and without a compile cache, nothing is found', () => {
  expect(openPrecompiledValidators(folder).find(ID)).toBe(undefined);
  expect(openPrecompiledValidators('').find(ID)).toBe(undefined);
  expect(() => writePrecompiledValidators([ID], '')).toThrow('NODE_COMPILE_CACHE');
});
