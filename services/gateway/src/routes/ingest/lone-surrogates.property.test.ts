import { expect, test } from '@jest/globals';
import { toWellFormed } from '@tidings/platform';
import { propertyRuns } from '@tidings/testing';
import fc from 'fast-check';
import { withoutLoneSurrogates } from './lone-surrogates.ts';

const PARTS = [
  '\\ud800',
  '\\uDBFF',
  '\\udc00',
  '\\uDFFf',
  '\\\\',
  '\\\\ud800',
  '\\"',
  '\\u0041',
  '\\n',
  'x',
  '\u00e9',
  '\u{1f600}',
  '\\ud83d\\ude00',
];
const text = fc.array(fc.constantFrom(...PARTS)).map((parts) => `"${parts.join('')}"`);

test('every half surrogate, and nothing else, becomes U+FFFD', () => {
  fc.assert(
    fc.property(text, text, (key, value) => {
      const json = `{ ${key} : [ ${value} , -0 ] }`;
      const original: unknown = JSON.parse(json);

      const bytes = withoutLoneSurrogates(Buffer.from(json));

      expect(JSON.parse(String(bytes))).toEqual({ ...(toWellFormed(original, json) as object) });
    }),
    propertyRuns(2_000),
  );
});

test('bytes without any are the very same', () => {
  const bytes = Buffer.from('{"a":"\\ud83d\\ude00 \\\\ud800"}');

  expect(withoutLoneSurrogates(bytes)).toBe(bytes);
});
