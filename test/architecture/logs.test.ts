import { expect, test } from '@jest/globals';
import { LOGGED_FIELDS } from '@tidings/platform';
import { isTest, readSourceFiles } from './source-files.ts';

const LOG_CALL = /\b(?:logger|log)\??\.(?:info|warn|error|debug|fatal|child)\(\s*\{/g;

test('every field that a log line names is declared', () => {
  const files = readSourceFiles().filter(
    (file) =>
      /^(packages|services|deploy)\//.test(file.path) &&
      !isTest(file) &&
      !file.path.includes('/web/'),
  );
  const named = files.flatMap(({ path, code }) =>
    [...code.matchAll(LOG_CALL)].flatMap((call) =>
      namesOf(code.slice(call.index + call[0].length)).map((name) => `${path}: ${name}`),
    ),
  );

  expect(named.length).toBeGreaterThan(100);
  expect(named.filter((entry) => !LOGGED_FIELDS.has(entry.replace(/^.*: /, '')))).toEqual([]);
});

/** Property names of an object literal, given the text after its opening brace. */
function namesOf(text: string): readonly string[] {
  let depth = 0;
  let property = '';
  const properties: string[] = [];
  for (const sign of text) {
    if (sign === '}' && depth === 0) break;
    if ('{(['.includes(sign)) depth++;
    if ('})]'.includes(sign)) depth--;
    if (sign === ',' && depth === 0) properties.push(property);
    property = sign === ',' && depth === 0 ? '' : property + sign;
  }
  return [...properties, property].flatMap((one) => /^\s*([\w$]+)/.exec(one)?.[1] ?? []);
}
