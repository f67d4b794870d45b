import { describe, expect, test } from '@jest/globals';
import { placesOfJson } from '../../lib/json-places.ts';
import { findSyntaxFault, toFault } from './code-faults.ts';

const partsOf = (text: string) =>
  Object.fromEntries(
    [...placesOfJson(text).places].map(([pointer, { from, to }]) => [
      pointer,
      text.slice(from, to),
    ]),
  );

describe('lib/json-places', () => {
  test('has each value by its pointer, a member with its key', () => {
    expect(partsOf(' {"a": [1, {"b/c~": "x\\"}"}], "": null }\n')).toEqual({
      '': '{"a": [1, {"b/c~": "x\\"}"}], "": null }',
      '/a': '"a": [1, {"b/c~": "x\\"}"}]',
      '/a/0': '1',
      '/a/1': '{"b/c~": "x\\"}"}',
      '/a/1/b~1c~0': '"b/c~": "x\\"}"',
      '/': '"": null',
    });
  });

  test.each(['{}', '[]', '[-1.5e3,0,true]', '"\\u00e4"', ' {"a":{}} '])(
    '%s is JSON to its end, as the platform finds too',
    (text) => {
      expect(placesOfJson(text).stop).toBeNull();
      expect(() => JSON.parse(text)).not.toThrow();
    },
  );

  test.each([
    ['{"a": }', 6],
    ['{"a" 1}', 5],
    ['{"a": 1,}', 8],
    ['[1, 2', 5],
    ['[01]', 2],
    ['{} x', 3],
    ['"a\nb"', 0],
    ['{"a": "\\x"}', 6],
    ['', 0],
  ])('%j is no JSON from %i on', (text, stop) => {
    expect(placesOfJson(text).stop).toBe(stop);
    expect(() => JSON.parse(text)).toThrow(SyntaxError);
  });
});

describe('ui/code-faults', () => {
  test('a syntax fault has its line, and an empty text none', () => {
    expect(findSyntaxFault('{\n  "a": nothing\n}')).toEqual({
      text: 'Line 2: Not valid JSON: “n” can’t stand here.',
      place: { from: 9, to: 10 },
    });
    expect(findSyntaxFault('[1,\n')?.text).toBe('Line 2: Not valid JSON: it ends too early.');
    expect([findSyntaxFault(''), findSyntaxFault(' \n'), findSyntaxFault('{}')]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  const JSON_TEXT =
    '{\n  "all": [\n    {"event": "nosuch"},\n    {\n      "feld": 1\n    }\n  ]\n}';
  test.each([
    ['a member', '/condition/all/0/event', 3, '"event": "nosuch"'],
    ['a key that is none', '/condition/all/1/feld', 5, '"feld": 1'],
    ['an object of several lines, by its first', '/condition/all/1', 4, '{'],
    [
      'a part that is missing, by what lacks it',
      '/condition/all/0/within',
      3,
      '{"event": "nosuch"}',
    ],
    ['the whole', '/condition', 1, '{'],
  ])('a fault of JSON has the line of its pointer: %s', (_what, pointer, line, marked) => {
    const { text, place } = toFault(JSON_TEXT, { pointer, code: 'invalid_value' }, '/condition');

    expect(text).toMatch(new RegExp(`^Line ${line}: `));
    expect(JSON_TEXT.slice(place?.from, place?.to)).toBe(marked);
  });

  test('a fault of a template is marked to the end of its line', () => {
    const text = 'Hello\n<b>{{ user.firstName | upper }}</b>\nBye';
    const error = {
      pointer: '/message/body',
      code: 'template_syntax',
      line: 2,
      column: 4,
    } as const;
    const { place, ...fault } = toFault(text, error, null);

    expect(fault.text).toMatch(/^Line 2, column 4: /);
    expect(text.slice(place?.from, place?.to)).toBe('{{ user.firstName | upper }}</b>');
    // The text is shorter by now.
    expect(toFault('Hello', error, null).place).toBeUndefined();
  });

  test('a fault without a place has none', () => {
    const error = { pointer: '/message/body', code: 'too_long' } as const;

    expect(toFault('Hello', error, null).place).toBeUndefined();
    expect(toFault('{', error, '/message').place).toBeUndefined();
  });
});
