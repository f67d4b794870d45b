import { expect, test } from '@jest/globals';
import { readSourceFiles } from './source-files.ts';

const COMBINED = /\bPromise\.(?:all|allSettled|race|any)\(\[/g;

/** Elements of an array literal, given the text after its opening bracket. */
function elementsOf(text: string): readonly string[] {
  let depth = 0;
  let element = '';
  const elements: string[] = [];
  for (const sign of text) {
    if (sign === ']' && depth === 0) break;
    if ('{(['.includes(sign)) depth++;
    if ('})]'.includes(sign)) depth--;
    if (sign === ',' && depth === 0) elements.push(element);
    element = sign === ',' && depth === 0 ? '' : element + sign;
  }
  return [...elements, element];
}

/** An `await` of the array itself, not of a function in it. */
const waits = (element: string): boolean =>
  (element.split(/\basync\b/)[0] ?? '').match(/\bawait\b/) !== null;

/** Ignores brackets in strings; template placeholders are code. */
const withoutText = (literal: string): string =>
  [...literal.matchAll(/\$\{([^}]*)\}/g)].map(([, code]) => code).join(' ');

const arraysOf = (code: string): (readonly string[])[] => {
  const withoutTexts = code.replaceAll(/'[^'\n]*'|`[^`]*`/g, withoutText);
  return [...withoutTexts.matchAll(COMBINED)].map((call) =>
    elementsOf(withoutTexts.slice(call.index + call[0].length)),
  );
};

test('finds an await in a list of promises, but not in a function of it', () => {
  const found = (code: string) => arraysOf(code).some((elements) => elements.some(waits));

  expect(found('Promise.all([read(sql), list(sql, { zone: await zoneOf(db) })])')).toBe(true);
  expect(
    found('Promise.allSettled([read(sql), ...(await nodes()).map((node) => node.start())])'),
  ).toBe(true);
  expect(found('Promise.all([read(sql), post(`{[ ${await token()}`)])')).toBe(true);
  expect(
    found('Promise.all([read(sql), ids.map(async (id) => await read(id))]); await read(sql)'),
  ).toBe(false);
});

test('no list of promises awaits an element: earlier ones could reject unhandled, which ends the process', () => {
  const arrays = readSourceFiles().flatMap(({ path, code }) =>
    arraysOf(code).map((elements) => ({ path, elements })),
  );

  expect(arrays.length).toBeGreaterThan(100);
  expect(arrays.filter(({ elements }) => elements.some(waits)).map(({ path }) => path)).toEqual([]);
});
