import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';

const FOLDER = join(import.meta.dirname, '../../web/src/styles');
const sheets = readdirSync(FOLDER).map((name) => ({
  name,
  text: readFileSync(join(FOLDER, name), 'utf8'),
}));

/** The classes that a style sheet gives looks by themselves, wherever they stand. */
const ownClasses = (text: string): ReadonlySet<string> =>
  new Set([...text.matchAll(/^\s*\.([a-z-]+)(?=,$| \{$)/gm)].map(([, name = '']) => name));

describe('style sheets', () => {
  test('a class has its looks from one of them: two with the same word would be mixed', () => {
    const owners = Map.groupBy(
      sheets.flatMap(({ name, text }) => [...ownClasses(text)].map((of) => ({ of, name }))),
      ({ of }) => of,
    );

    expect(owners.size).toBeGreaterThan(200);
    expect([...owners.values()].filter(({ length }) => length > 1)).toEqual([]);
  });

  test('nothing is as wide as the window with its scroll bar, which would cover a side', () => {
    const found = sheets.flatMap(({ name, text }) =>
      [...text.matchAll(/^.*100vw(?! - ).*$/gm)].map(([line]) => `${name}: ${line.trim()}`),
    );

    expect(found).toEqual([]);
  });
});
