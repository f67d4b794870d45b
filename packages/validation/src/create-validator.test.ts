import { FIELD_ERRORS_MAX } from '@tidings/contracts/errors/error-codes';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { childPointer } from './child-pointer.ts';
import { prepareHotValidators, createValidator } from './create-validator.ts';

const naming = {
  oneOf: [
    { required: ['slug'], properties: { slug: { type: 'string' }, label: { type: 'null' } } },
    { required: ['label'], properties: { label: { type: 'string' }, slug: { type: 'null' } } },
  ],
};
const fruit = {
  type: 'object',
  properties: {
    kind: { const: 'fruit' },
    slug: { type: ['string', 'null'], maxLength: 4 },
    label: { type: ['string', 'null'] },
  },
  ...naming,
};
const crate = {
  type: 'object',
  properties: {
    kind: { const: 'crate' },
    size: { type: 'integer', minimum: 1, maximum: 9 },
    wood: { enum: ['oak', 'pine', null] },
    extra: { type: 'object', additionalProperties: { not: { type: 'array' } } },
    maker: {
      enum: Array.from({ length: 13 }, (_, index) => `maker ${index}`),
      description: 'a known maker',
    },
    label: { type: 'object', additionalProperties: false },
  },
  required: ['size'],
};
const validate = createValidator<unknown>({
  type: 'object',
  required: ['items'],
  properties: {
    owner: { type: ['string', 'null'], minLength: 1 },
    items: {
      type: 'array',
      minItems: 1,
      maxItems: 200,
      items: {
        type: 'object',
        required: ['kind', 'id'],
        properties: { id: { type: 'string' } },
        discriminator: { propertyName: 'kind' },
        oneOf: [fruit, crate],
      },
    },
  },
});

function errorsOf(value: unknown): readonly unknown[] {
  const result = validate(value);
  return result.ok ? [] : result.errors;
}
const itemErrors = (item: unknown): readonly unknown[] => errorsOf({ items: [item] });

describe('one entry per fault, at its pointer', () => {
  test.each([
    ['nothing', { kind: 'crate', id: 'a', size: 1 }, []],
    [
      'a missing field',
      { kind: 'crate', id: 'a' },
      [{ pointer: '/items/0/size', code: 'required', expected: 'integer' }],
    ],
    [
      'a wrong type',
      { kind: 'crate', id: 'a', size: '1' },
      [{ pointer: '/items/0/size', code: 'wrong_type', expected: 'integer' }],
    ],
    [
      'a number below its bound',
      { kind: 'crate', id: 'a', size: 0 },
      [{ pointer: '/items/0/size', code: 'out_of_range', expected: 'at least 1' }],
    ],
    [
      'a number above its bound',
      { kind: 'crate', id: 'a', size: 10 },
      [{ pointer: '/items/0/size', code: 'out_of_range', expected: 'at most 9' }],
    ],
    [
      'a value off the list',
      { kind: 'crate', id: 'a', size: 1, wood: 'ash' },
      [{ pointer: '/items/0/wood', code: 'invalid_value', expected: 'oak, pine' }],
    ],
    [
      'a type that is not supported',
      { kind: 'crate', id: 'a', size: 1, extra: { 'a/b': [] } },
      [
        {
          pointer: '/items/0/extra/a~1b',
          code: 'unsupported_type',
          expected: 'anything but an array',
        },
      ],
    ],
    [
      'a text that is too long',
      { kind: 'fruit', id: 'a', slug: '12345' },
      [{ pointer: '/items/0/slug', code: 'too_long', expected: 'at most 4 characters' }],
    ],
    [
      'a value off a long list',
      { kind: 'crate', id: 'a', size: 1, maker: 'x' },
      [{ pointer: '/items/0/maker', code: 'invalid_value', expected: 'a known maker' }],
    ],
    [
      'a field that may not be there',
      { kind: 'crate', id: 'a', size: 1, label: { 'a/b': 1 } },
      [
        {
          pointer: '/items/0/label/a~1b',
          code: 'invalid_value',
          expected: 'a known field',
        },
      ],
    ],
    [
      'a field with a name too long to repeat',
      { kind: 'crate', id: 'a', size: 1, extra: { ['k'.repeat(1_001)]: [] } },
      [{ pointer: '/items/0/extra', code: 'unsupported_type', expected: 'anything but an array' }],
    ],
    ['no value at all', null, [{ pointer: '/items/0', code: 'wrong_type', expected: 'object' }]],
  ])('%s', (_what, item, errors) => {
    expect(itemErrors(item)).toEqual(errors);
  });

  test('several faults are all listed', () => {
    expect(errorsOf({ owner: '', items: [{ kind: 'crate', size: 'x' }, 5] })).toEqual([
      { pointer: '/owner', code: 'empty', expected: 'at least 1 character' },
      { pointer: '/items/0/id', code: 'required', expected: 'string' },
      { pointer: '/items/0/size', code: 'wrong_type', expected: 'integer' },
      { pointer: '/items/1', code: 'wrong_type', expected: 'object' },
    ]);
  });

  test.each([
    [undefined, { pointer: '', code: 'wrong_type', expected: 'object' }],
    [{}, { pointer: '/items', code: 'required', expected: 'array' }],
    [{ items: [] }, { pointer: '/items', code: 'empty', expected: 'at least 1 item' }],
  ])('%j as a whole', (value, error) => {
    expect(errorsOf(value)).toEqual([error]);
  });
});

describe('the discriminator of the alternatives', () => {
  test.each([
    [
      'missing',
      { id: 'a' },
      { pointer: '/items/0/kind', code: 'required', expected: 'fruit, crate' },
    ],
    [
      'null',
      { id: 'a', kind: null },
      { pointer: '/items/0/kind', code: 'wrong_type', expected: 'string' },
    ],
    [
      'an array',
      { id: 'a', kind: ['fruit'] },
      { pointer: '/items/0/kind', code: 'wrong_type', expected: 'string' },
    ],
    [
      'unknown',
      { id: 'a', kind: 'Fruit' },
      { pointer: '/items/0/kind', code: 'invalid_value', expected: 'fruit, crate' },
    ],
  ])('%s', (_what, item, error) => {
    expect(itemErrors(item)).toEqual([error]);
  });
});

describe('exactly one of two fields', () => {
  const fault = {
    pointer: '/items/0',
    code: 'exactly_one_of',
    expected: 'exactly one of slug and label',
  };

  test.each([
    ['one', { slug: 'a' }, []],
    ['the other, null beside it', { slug: null, label: 'a' }, []],
    ['neither', {}, [fault]],
    ['both null', { slug: null, label: null }, [fault]],
    ['both', { slug: 'a', label: 'b' }, [fault]],
    ['both, one of them empty', { slug: '', label: 'b' }, [fault]],
    [
      'one that is mistyped',
      { slug: 5 },
      [{ pointer: '/items/0/slug', code: 'wrong_type', expected: 'string or null' }],
    ],
    [
      'both, one of them mistyped',
      { slug: 'a', label: [] },
      [{ pointer: '/items/0/label', code: 'wrong_type', expected: 'string or null' }],
    ],
    [
      'both, one of them too long',
      { slug: '12345', label: 'b' },
      [{ pointer: '/items/0/slug', code: 'too_long', expected: 'at most 4 characters' }, fault],
    ],
  ])('%s', (_what, fields, errors) => {
    expect(itemErrors({ kind: 'fruit', id: 'a', ...fields })).toEqual(
      expect.arrayContaining(errors),
    );
    expect(itemErrors({ kind: 'fruit', id: 'a', ...fields })).toHaveLength(errors.length);
  });

  test('a fault of one item does not hide the same fault of another', () => {
    const broken = { kind: 'fruit', id: 'a' };

    expect(errorsOf({ items: [broken, { ...broken, slug: 5 }, broken] })).toMatchObject([
      { pointer: '/items/0', code: 'exactly_one_of' },
      { pointer: '/items/1/slug', code: 'wrong_type' },
      { pointer: '/items/2', code: 'exactly_one_of' },
    ]);
  });
});

describe('what is expected, in words', () => {
  const errorsIn = (schema: object, value: unknown) => {
    const result = createValidator(schema)(value);
    return result.ok ? [] : result.errors;
  };

  test('one of several fields', () => {
    const oneOf = ['a', 'b', 'c'].map((field) => ({ required: [field] }));

    expect(errorsIn({ type: 'object', oneOf }, {})).toEqual([
      { pointer: '', code: 'exactly_one_of', expected: 'exactly one of a, b and c' },
    ]);
  });

  test.each([
    [{ type: 'array', minItems: 2 }, [], 'empty', 'at least 2 items'],
    [{ type: 'array', minItems: 2 }, [1], 'out_of_range', 'at least 2 items'],
    [{ type: 'string', minLength: 3 }, '', 'empty', 'at least 3 characters'],
    [{ type: 'string', minLength: 3 }, 'ab', 'out_of_range', 'at least 3 characters'],
    [{ type: 'object', minProperties: 2 }, { a: 1 }, 'out_of_range', 'at least 2 fields'],
  ])('too few of %j: %j', (schema, value, code, expected) => {
    expect(errorsIn(schema, value)).toEqual([{ pointer: '', code, expected }]);
  });
});

describe('bounds of the work', () => {
  test('no more faults are gathered than tell that there are more than are listed', () => {
    expect(errorsOf({ items: Array.from({ length: 200 }, () => ({})) })).toHaveLength(
      FIELD_ERRORS_MAX + 1,
    );
  });

  test('an array above its limit is one fault; its items are not checked', () => {
    expect(errorsOf({ owner: 5, items: Array.from({ length: 201 }, () => 5) })).toEqual([
      { pointer: '/owner', code: 'wrong_type', expected: 'string or null' },
      { pointer: '/items', code: 'too_many', expected: 'at most 200 items' },
    ]);
  });

  test('an array above its limit is not compared for equal items, which takes its square', () => {
    const tags = { type: 'array', maxItems: 3, uniqueItems: true, items: { type: 'string' } };
    const errorsOfTags = (value: unknown) =>
      createValidator({ type: 'object', properties: { tags } })({ tags: value });

    expect(errorsOfTags(['a', 'a', 'a', 'a'])).toEqual({
      ok: false,
      errors: [{ pointer: '/tags', code: 'too_many', expected: 'at most 3 items' }],
    });
    expect(errorsOfTags(['a', 'b', 'a'])).toMatchObject({
      errors: [{ pointer: '/tags', code: 'invalid_value', expected: 'different items' }],
    });
  });

  test('an object above its limit is one fault; its properties are not checked', () => {
    const headers = {
      type: 'object',
      maxProperties: 3,
      propertyNames: { pattern: '^[a-z]$' },
      additionalProperties: { type: 'string' },
    };
    const result = createValidator({ type: 'object', properties: { headers } })({
      headers: { A: 1, B: 2, C: 3, D: 4 },
    });

    expect(result).toEqual({
      ok: false,
      errors: [{ pointer: '/headers', code: 'too_many', expected: 'at most 3 fields' }],
    });
  });

  test('an object within its limit has all faults of its properties', () => {
    const headers = {
      type: ['object', 'null'],
      maxProperties: 3,
      additionalProperties: { type: 'string' },
    };
    const result = createValidator({ type: 'object', properties: { headers } })({
      headers: { a: 1, b: 'x', c: 3 },
    });

    expect(result).toMatchObject({
      ok: false,
      errors: [{ pointer: '/headers/a' }, { pointer: '/headers/c' }],
    });
  });
});

describe('compilation', () => {
  const compile = jest.spyOn(Ajv2020.prototype, 'compile');
  beforeEach(() => {
    // Those of modules that this process loaded.
    prepareHotValidators();
    compile.mockClear();
  });
  afterAll(() => compile.mockRestore());
  /** A new object, since the same schema is compiled once for all. */
  const number = () => ({ type: 'number' });

  test('waits for the first value; the schema of all faults waits for the first fault', () => {
    const validate = createValidator<number>(number());
    prepareHotValidators();
    const counts = [1, 2, 'a', 'b'].map((value) => {
      validate(value);
      return compile.mock.calls.length;
    });

    expect(counts).toEqual([1, 1, 2, 2]);
  });

  test('of a hot validator happens before the first value, once', () => {
    const validate = createValidator<number>(number(), { isHot: true });
    prepareHotValidators();
    prepareHotValidators();

    expect(compile).toHaveBeenCalledTimes(1);
    expect(validate(1)).toEqual({ ok: true, value: 1 });
    expect(compile).toHaveBeenCalledTimes(1);
  });
});

test('pointers escape ~ and /', () => {
  expect(childPointer('/x', 'a/b~c')).toBe('/x/a~1b~0c');
});
