import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  batchWith,
  startTestGateway,
  stopAfterRejections,
  type TestGateway,
} from '../../testing/test-gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => stopAfterRejections(gateway));

type Fault = readonly [field: string, code: string, expected: string];
const revenue = { type: 'revenue', revenue: 1, currency: 'EUR' };
const user = { type: 'user', customName: undefined };
const LONG = 'a Long';
const TYPES = 'action, revenue, businessEvent, user';
const CURRENCY = 'an ISO 4217 code in capitals';
const NAMES = 'exactly one of name and customName';

/** A batch of one message with literal JSON fields, which objects cannot express. */
function textWith(fields: string): string {
  const defaults = Object.entries(batchWith().messages[0] ?? {}).filter(
    ([key]) => !fields.includes(`"${key}":`),
  );
  return `{"customUserId":"u1","messages":[{${[...defaults.map(([key, value]) => `"${key}":${JSON.stringify(value)}`), fields].join(',')}}]}`;
}

describe('a message with one fault is rejected with its pointer', () => {
  test.each<[string, Record<string, unknown> | string, Fault]>([
    ['type missing', { type: undefined }, ['/type', 'required', TYPES]],
    ['type null', { type: null }, ['/type', 'wrong_type', 'string']],
    ['type an array', { type: ['action'] }, ['/type', 'wrong_type', 'string']],
    ['type unknown', { type: 'event' }, ['/type', 'invalid_value', TYPES]],
    ['type in another case', { type: 'Action' }, ['/type', 'invalid_value', TYPES]],
    ['type __proto__', { type: '__proto__' }, ['/type', 'invalid_value', TYPES]],

    ['id missing', { id: undefined }, ['/id', 'required', 'string']],
    ['id null', { id: null }, ['/id', 'wrong_type', 'string']],
    ['id a number', { id: 5 }, ['/id', 'wrong_type', 'string']],
    ['id empty', { id: '' }, ['/id', 'empty', 'at least 1 character']],
    [
      'id of 129 characters',
      { id: 'x'.repeat(129) },
      ['/id', 'too_long', 'at most 128 characters'],
    ],
    ['id with NUL', String.raw`"id":"a\u0000"`, ['/id', 'nul_not_allowed', 'text without U+0000']],
    [
      'id with half a character',
      String.raw`"id":"a\udc00"`,
      ['/id', 'invalid_value', 'text without lone surrogates'],
    ],

    ['time missing', { time: undefined }, ['/time', 'required', 'integer']],
    ['time null', { time: null }, ['/time', 'wrong_type', 'integer']],
    ['time a text of digits', { time: '1700000000000' }, ['/time', 'wrong_type', 'integer']],
    ['time an ISO text', { time: '2024-01-01T00:00:00.000Z' }, ['/time', 'wrong_type', 'integer']],
    ['time true', { time: true }, ['/time', 'wrong_type', 'integer']],
    ['time with a fraction', { time: 1.5 }, ['/time', 'wrong_type', 'integer']],
    [
      'time one above the greatest Long',
      '"time":9223372036854775808',
      ['/time', 'out_of_range', LONG],
    ],
    [
      'time one below the least Long',
      '"time":-9223372036854775809',
      ['/time', 'out_of_range', LONG],
    ],
    [
      'time at the limit as an exponent',
      '"time":9.223372036854775807e18',
      ['/time', 'out_of_range', LONG],
    ],
    ['time 1e21', '"time":1e21', ['/time', 'out_of_range', LONG]],
    [
      'time beyond a double',
      '"time":1e400',
      ['/time', 'out_of_range', 'a number that a Double can hold'],
    ],

    ['no name at all', { customName: undefined }, ['', 'exactly_one_of', NAMES]],
    ['both names null', { name: null, customName: null }, ['', 'exactly_one_of', NAMES]],
    ['both names', { name: 'abcde' }, ['', 'exactly_one_of', NAMES]],
    ['both names, one empty', { name: '' }, ['', 'exactly_one_of', NAMES]],
    ['both names empty', { name: '', customName: '' }, ['', 'exactly_one_of', NAMES]],
    [
      'name a number',
      { name: 5, customName: undefined },
      ['/name', 'wrong_type', 'string or null'],
    ],
    ['customName an object', { customName: {} }, ['/customName', 'wrong_type', 'string or null']],
    [
      'name of 65 characters',
      { name: 'x'.repeat(65), customName: undefined },
      ['/name', 'too_long', 'at most 64 characters'],
    ],
    [
      'customName of 257 characters',
      { customName: 'x'.repeat(257) },
      ['/customName', 'too_long', 'at most 256 characters'],
    ],
    [
      'customName of 10 KB',
      { customName: 'x'.repeat(10_000) },
      ['/customName', 'too_long', 'at most 256 characters'],
    ],
    [
      'customName with NUL',
      String.raw`"customName":"\u0000"`,
      ['/customName', 'nul_not_allowed', 'text without U+0000'],
    ],
    ['a revenue without a name', { ...revenue, customName: null }, ['', 'exactly_one_of', NAMES]],
    [
      'a businessEvent without a name',
      { type: 'businessEvent', customName: undefined },
      ['', 'exactly_one_of', NAMES],
    ],

    ['revenue missing', { ...revenue, revenue: undefined }, ['/revenue', 'required', 'number']],
    ['revenue a text', { ...revenue, revenue: '10' }, ['/revenue', 'wrong_type', 'number']],
    ['revenue null', { ...revenue, revenue: null }, ['/revenue', 'wrong_type', 'number']],
    [
      'revenue beyond a double',
      '"type":"revenue","currency":"EUR","revenue":1e309',
      ['/revenue', 'out_of_range', 'a number that a Double can hold'],
    ],
    ['currency missing', { ...revenue, currency: undefined }, ['/currency', 'required', CURRENCY]],
    ...['eur', 'US', 'USDX', 'XXX', 'ZZZ', '', 'EUR '].map(
      (currency): [string, Record<string, unknown>, Fault] => [
        `currency ${JSON.stringify(currency)}`,
        { ...revenue, currency },
        ['/currency', 'invalid_value', CURRENCY],
      ],
    ),
    ['currency a number', { ...revenue, currency: 978 }, ['/currency', 'wrong_type', 'string']],

    ['attributes null', { attributes: null }, ['/attributes', 'wrong_type', 'object']],
    ['attributes an array', { attributes: [] }, ['/attributes', 'wrong_type', 'object']],
    ['attributes a text', { attributes: 'x' }, ['/attributes', 'wrong_type', 'object']],
    [
      'attributes of a businessEvent',
      { type: 'businessEvent', attributes: 5 },
      ['/attributes', 'wrong_type', 'object'],
    ],
    [
      'a number beyond a double',
      '"attributes":{"a":[{"b":-1e400}]}',
      ['/attributes/a/0/b', 'out_of_range', 'a number that a Double can hold'],
    ],
    [
      'NUL in a value',
      String.raw`"attributes":{"a":["b\u0000"]}`,
      ['/attributes/a/0', 'nul_not_allowed', 'text without U+0000'],
    ],
    [
      'NUL in a key',
      String.raw`"attributes":{"a\u0000":1}`,
      ['/attributes', 'nul_not_allowed', 'keys without U+0000'],
    ],
    [
      'NUL in an unknown field',
      String.raw`"x":"\u0000"`,
      ['/x', 'nul_not_allowed', 'text without U+0000'],
    ],
    [
      '17 levels',
      `"attributes":{"a":${'{"a":'.repeat(15)}1${'}'.repeat(15)}}`,
      [`/attributes${'/a'.repeat(15)}`, 'too_deep', 'at most 16 levels in a message'],
    ],
    [
      '17 levels of arrays',
      `"attributes":{"a":${'['.repeat(15)}${']'.repeat(15)}}`,
      [`/attributes/a${'/0'.repeat(14)}`, 'too_deep', 'at most 16 levels in a message'],
    ],
    [
      '2,000 levels',
      `"attributes":{"a":${'['.repeat(2_000)}${']'.repeat(2_000)}}`,
      [`/attributes/a${'/0'.repeat(14)}`, 'too_deep', 'at most 16 levels in a message'],
    ],
    [
      '1,001 keys',
      {
        attributes: Object.fromEntries(Array.from({ length: 996 }, (_, index) => [`k${index}`, 1])),
      },
      ['', 'too_many', 'at most 1000 keys in a message'],
    ],
    [
      '1,001 keys on all levels',
      { attributes: { a: Array.from({ length: 250 }, () => ({ a: 1, b: 2, c: 3, d: 4 })) } },
      ['', 'too_many', 'at most 1000 keys in a message'],
    ],
    [
      'more than 32 KiB',
      { attributes: { a: 'x'.repeat(33_000) } },
      ['', 'too_long', 'at most 32768 bytes in a message'],
    ],
    [
      'more than 32 KiB of numbers',
      { attributes: { a: Array.from({ length: 17_000 }, () => 1) } },
      ['', 'too_long', 'at most 32768 bytes in a message'],
    ],
    [
      'an integer beyond a double',
      `"attributes":{"a":${'9'.repeat(310)}}`,
      ['/attributes/a', 'out_of_range', 'a number that a Double can hold'],
    ],
    [
      'more than 32 KiB of long integers',
      `"attributes":{"a":[${Array.from({ length: 110 }, () => '9'.repeat(300)).join()}]}`,
      ['', 'too_long', 'at most 32768 bytes in a message'],
    ],
    [
      'more than 32 KiB of three-byte characters',
      { attributes: { a: '字'.repeat(11_000) } },
      ['', 'too_long', 'at most 32768 bytes in a message'],
    ],

    ...[
      'firstName',
      'lastName',
      'phoneNumber',
      'hashedPhoneNumber',
      'email',
      'hashedEmail',
      'country',
      'city',
      'region',
      'locality',
      'gender',
    ].map((field): [string, Record<string, unknown>, Fault] => [
      `${field} a number`,
      { ...user, [field]: 5 },
      [`/${field}`, 'wrong_type', 'string or null'],
    ]),
    [
      'birthday a text',
      { ...user, birthday: '2000-01-01' },
      ['/birthday', 'wrong_type', 'integer or null'],
    ],
    [
      'birthday with a fraction',
      { ...user, birthday: 1.5 },
      ['/birthday', 'wrong_type', 'integer or null'],
    ],
    [
      'birthday one above the greatest Long',
      '"type":"user","customName":null,"birthday":9223372036854775808',
      ['/birthday', 'out_of_range', LONG],
    ],
    [
      'customAttributes an array',
      { ...user, customAttributes: [] },
      ['/customAttributes', 'wrong_type', 'object or null'],
    ],
    [
      'an array at the top of customAttributes',
      { ...user, customAttributes: { 'a/b': [1] } },
      ['/customAttributes/a~1b', 'unsupported_type', 'anything but an array'],
    ],
  ])('%s', async (_what, fields, [pointer, code, expected]) => {
    const body = typeof fields === 'string' ? textWith(fields) : batchWith(fields);

    const { status, problem } = await gateway.post(body);

    expect(status).toBe(400);
    expect(problem).toMatchObject({ code: 'validation_failed' });
    expect(problem.errors).toEqual([
      {
        pointer: `/messages/0${pointer}`,
        index: 0,
        ...(pointer === '/id' ||
        (typeof fields === 'object' && typeof fields['id'] !== 'string' && 'id' in fields)
          ? {}
          : { messageId: 'm1' }),
        code,
        expected,
      },
    ]);
  });
});

test('a message with several faults has an entry for each', async () => {
  const { problem } = await gateway.post(
    batchWith({ id: '', time: null, name: 'x'.repeat(65), attributes: 5 }),
  );

  expect(new Set(problem.errors?.map(({ pointer, code }) => `${pointer} ${code}`))).toEqual(
    new Set([
      '/messages/0 exactly_one_of',
      '/messages/0/id empty',
      '/messages/0/time wrong_type',
      '/messages/0/name too_long',
      '/messages/0/attributes wrong_type',
    ]),
  );
});
