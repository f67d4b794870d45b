import { expect, test } from '@jest/globals';
import { fieldAt, fieldsIn, itemsIn, type Span } from '@tidings/platform';
import { propertyRuns } from '@tidings/testing';
import fc from 'fast-check';

const slice = (text: string, { start, end }: Span): string => text.slice(start, end);

/** JSON text with white space, escapes and delimiters inside its strings. */
const space = fc.constantFrom('', ' ', '\n\t');
const leaf = fc.constantFrom(
  '1',
  '-1.5e3',
  'null',
  'true',
  '9007199254740993',
  '""',
  String.raw`"a\"]}{,:\\"`,
  String.raw`"\\"`,
  String.raw`"\u0061"`,
);
const { value } = fc.letrec<{ value: string; pair: string; item: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    leaf,
    fc.array(tie('item'), { maxLength: 4 }).map((items) => `[${items.join(',')}]`),
    fc.array(tie('pair'), { maxLength: 4 }).map((pairs) => `{${pairs.join(',')}}`),
  ),
  item: fc.tuple(space, tie('value'), space).map((parts) => parts.join('')),
  pair: fc
    .tuple(
      space,
      fc.constantFrom('"a"', '"b"', String.raw`"\u0061"`, String.raw`"c\"d"`, '"__proto__"'),
      space,
      tie('item'),
    )
    .map(([before, name, after, item]) => `${before}${name}${after}:${item}`),
}));

/** The value rebuilt from the parts that a scan finds in its text. */
function scanned(text: string): unknown {
  const parsed: unknown = JSON.parse(text);
  if (Array.isArray(parsed))
    return [...itemsIn(text, 0)].map((span) => JSON.parse(slice(text, span)) as unknown);
  if (typeof parsed !== 'object' || parsed === null) return parsed;
  const names = new Set([...fieldsIn(text, 0)].map(({ name }) => name));
  const fields = [...names].map((name) => {
    const span = fieldAt(text, 0, name) ?? { start: 0, end: 0 };
    return `${JSON.stringify(name)}:${slice(text, span)}`;
  });
  return JSON.parse(`{${fields.join(',')}}`);
}

/** The fields, each from its name to the end of its value, as one object again. */
const rejoined = (text: string): unknown =>
  JSON.parse(`{${[...fieldsIn(text, 0)].map(({ span }) => slice(text, span)).join(',')}}`);

test('a scan of JSON text finds the fields and items that JSON.parse finds', () => {
  fc.assert(
    fc.property(space, value, (before, json) => {
      const text = before + json;

      expect(scanned(text)).toEqual(JSON.parse(text));
    }),
    propertyRuns(2_000),
  );
});

test('fields joined as they were written are the object again', () => {
  fc.assert(
    fc.property(space, value, (before, json) => {
      const text = `${before}{"x":${json}, "y" :${json}}`;

      expect(rejoined(text)).toEqual(JSON.parse(text));
    }),
    propertyRuns(2_000),
  );
});
