import { expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT_DIR = resolve(import.meta.dirname, '..', '..');
const read = (path: string): string => readFileSync(join(ROOT_DIR, path), 'utf8');

/** The function that keeps calls until the SDK has loaded, without layout and comments. */
const queueOf = (text: string): string => {
  const [code] = /\(function \(w\)[\s\S]*?\}\)\(window\);/.exec(text) ?? [];
  if (code === undefined) throw new Error('the text has no snippet');
  return code.replaceAll(/\/\/[^\n]*|\s+/g, '').replaceAll(/,(?=[)\]}])/g, '');
};

test('the snippet of docs/guides/browser-sdk.md is the one of the shop, which the browser tests load', () => {
  expect(queueOf(read('docs/guides/browser-sdk.md'))).toBe(
    queueOf(read('services/sandbox/web/shop/tidings.js')),
  );
});
