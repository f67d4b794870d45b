import { expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { withWorkersSchema } from '../generated/channel-lists.ts';
import { renderedWorker, RENDERED_FILE } from '../generated/rendered-chart.ts';
import { withValuesTable } from '../generated/values-table.ts';
import { CHART_DIR } from '@tidings/tools/helm';

const read = (file: string): string => readFileSync(join(CHART_DIR, file), 'utf8');

test('the table of values matches values.yaml: run `npm run generate`', () => {
  expect(read('README.md')).toBe(withValuesTable(read('README.md')));
});

test('worker-email-rendered.yaml matches the chart: check the diff, then run `npm run generate`', () => {
  expect(readFileSync(RENDERED_FILE, 'utf8')).toBe(renderedWorker());
});

test('the schema has a worker for each channel: run `npm run generate`', () => {
  expect(read('values.schema.json')).toBe(withWorkersSchema(read('values.schema.json')));
});

type Schema = {
  readonly type?: unknown;
  readonly additionalProperties?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly description?: string;
  readonly items?: Schema;
  readonly definitions?: Readonly<Record<string, Schema>>;
};
const schema = JSON.parse(read('values.schema.json')) as Schema;

/** All objects of the schema, with their paths. */
function objectsOf(part: Schema, path: string): readonly (readonly [string, Schema])[] {
  const children = [
    ...Object.entries(part.properties ?? {}),
    ...Object.entries(part.definitions ?? {}),
    ...(part.items === undefined ? [] : [['[]', part.items] as const]),
  ];
  const own = part.properties === undefined ? [] : [[path, part] as const];
  return [...own, ...children.flatMap(([name, child]) => objectsOf(child, `${path}/${name}`))];
}

test('the schema rejects unknown keys, except those of a parent chart', () => {
  const open = objectsOf(schema, '').filter(([, part]) => part.additionalProperties !== false);

  expect(open.map(([path]) => path)).toEqual(['/global']);
});

test('every value of values.yaml is in the schema', () => {
  const top = parse(read('values.yaml')) as Readonly<Record<string, unknown>>;

  expect(Object.keys(top).filter((name) => schema.properties?.[name] === undefined)).toEqual([]);
});
