import { describe, expect, test } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { nodeOf, type Condition } from '../conditions.ts';
import type { LeafDescriptor, Phrases } from './descriptor.ts';
import { LEAF_DESCRIPTORS, LEAF_KINDS, type LeafCondition } from './descriptors.ts';

const say: Phrases = {
  term: String,
  text: String,
  event: String,
  funnel: String,
  segment: String,
  channel: String,
  path: String,
  comparison: () => 'compared',
  range: () => 'some',
  times: () => 'some times',
  duration: String,
  window: () => '',
  proof: () => '',
};

describe.each(LEAF_KINDS)('the kind of condition %s', (kind) => {
  const descriptor: LeafDescriptor<LeafCondition> = LEAF_DESCRIPTORS[kind];
  const { schema, initial, names, fields } = descriptor;
  const properties = Object.keys(schema.properties);

  test('has the property that it is named after, and those that it requires', () => {
    expect(properties).toEqual(expect.arrayContaining([kind, ...(schema.required ?? [])]));
  });

  test('begins as a condition of this kind, with what is required', () => {
    expect(nodeOf(initial).key).toBe(kind);
    expect(Object.keys(initial)).toEqual(expect.arrayContaining([...(schema.required ?? [])]));
    expect(properties).toEqual(expect.arrayContaining(Object.keys(initial)));
  });

  test('what names it is empty at first', () => {
    const named = names?.reduce<unknown>(
      (value, key) => (value as Readonly<Record<string, unknown>>)[key],
      initial,
    );

    expect(named).toBe(names === null ? undefined : '');
  });

  test('has words, and a meaning for the reference', () => {
    expect(descriptor.words(initial, say)).not.toMatch(/undefined|^$/);
    expect(descriptor.meaning).toMatch(/^\S.*[^.]$/);
  });

  test('each of its fields leads to a property', () => {
    const ways = (fields ?? []).flatMap((field) => ('at' in field ? [field.at[0]] : []));

    expect(properties).toEqual(expect.arrayContaining(ways));
  });
});

test('each descriptor of this folder is one of the kinds', () => {
  const files = readdirSync(import.meta.dirname).filter((file) =>
    /as const satisfies LeafDescriptor</.test(
      readFileSync(join(import.meta.dirname, file), 'utf8'),
    ),
  );
  const toFile = (kind: string): string =>
    `${kind.replaceAll(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`)}.ts`;

  expect(files.filter((file) => !file.endsWith('.test.ts'))).toEqual(
    LEAF_KINDS.map(toFile).toSorted(),
  );
});

test('no two kinds share a label', () => {
  const labels = LEAF_KINDS.map((kind) => LEAF_DESCRIPTORS[kind].label);

  expect(new Set(labels).size).toBe(LEAF_KINDS.length);
});

test('an object with none of the keys is no condition', () => {
  expect(() => nodeOf({} as Condition)).toThrow('a condition has one of its keys');
});
