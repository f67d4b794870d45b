import { expect } from '@jest/globals';
import { describeCorpus, textWith, type CorpusCase } from '../../testing/corpus.ts';
import { APPLICATION_ID, batchWith } from '../../testing/test-gateway.ts';

type Fields = string | Record<string, unknown>;
const bodyOf = (fields: Fields): unknown =>
  typeof fields === 'string' ? textWith(fields) : batchWith(fields);
const rejected = (name: string, fields: Fields, ...errors: readonly string[]): CorpusCase => ({
  name,
  body: bodyOf(fields),
  status: 400,
  code: 'validation_failed',
  errors: errors.map((error) => `/messages/0${error}`),
});
const accepted = (name: string, fields: Fields, ...warnings: readonly string[]): CorpusCase => ({
  name,
  body: bodyOf(fields),
  status: 200,
  warnings: warnings.map((warning) => `/messages/0${warning}`),
});

const ONE_OF = ' exactly_one_of: exactly one of name and customName';
const CURRENCY = 'an ISO 4217 code in capitals';
const DOUBLE = 'a number that a Double can hold';
const BYTES = 'at most 32768 bytes in a message';
const KEYS = 'at most 1000 keys in a message';
const revenueOf = (fields: object): Record<string, unknown> => ({
  type: 'revenue',
  revenue: 1,
  currency: 'EUR',
  ...fields,
});

describeCorpus('names', ({ cases, check }) => {
  cases([
    rejected('both name and customName', { name: 'abcde' }, ONE_OF),
    rejected('both, one empty', { name: '' }, ONE_OF),
    rejected('both, the other empty', { name: 'abcde', customName: '' }, ONE_OF),
    rejected('both empty', { name: '', customName: '' }, ONE_OF),
    rejected('both, one too long', { name: 'x'.repeat(65) }, ONE_OF, '/name too_long'),
    rejected('neither', { customName: undefined }, ONE_OF),
    rejected('both null', { name: null, customName: null }, ONE_OF),
    accepted('null beside the other', { name: null }),
    accepted('customName empty, dropped later', { customName: '' }),
    accepted('name empty, dropped later', { name: '', customName: undefined }),
    accepted('spaces only, dropped later', { customName: '   ' }),
    accepted('tabs and line feeds only, dropped later', { customName: '\t\n' }),
    accepted('256 chars', { customName: 'x'.repeat(256) }),
    accepted('256 emoji', { customName: '😀'.repeat(256) }),
    rejected(
      '257 chars',
      { customName: 'x'.repeat(257) },
      '/customName too_long: at most 256 characters',
    ),
    rejected('10 KB', { customName: 'x'.repeat(10_000) }, '/customName too_long'),
    accepted('a name of 64 chars', { name: 'x'.repeat(64), customName: null }),
    rejected(
      'a name of 65 chars',
      { name: 'x'.repeat(65), customName: null },
      '/name too_long: at most 64 characters',
    ),
    rejected('NUL', String.raw`"customName":"a\u0000"`, '/customName nul_not_allowed'),
    accepted('unknown slug, dropped later', { name: 'zzzzz', customName: undefined }),
    accepted('a slug of another length, dropped later', { name: 'ab', customName: undefined }),
    rejected('name number', { name: 5, customName: undefined }, '/name wrong_type: string or null'),
    rejected('customName object', { customName: {} }, '/customName wrong_type: string or null'),
    rejected('customName array', { customName: ['canary'] }, '/customName wrong_type'),
    accepted('emoji', { customName: '🛒 added' }),
    accepted('RTL', { customName: '\u202eנקנה' }),
    accepted('a name of the prototype', { customName: 'constructor' }),
    {
      ...accepted('lone surrogate becomes U+FFFD', String.raw`"customName":"a\ud800"`),
      published: textWith('"customName":"a\ufffd"'),
    },
    accepted(
      'both, of a user, who has no names',
      { type: 'user', name: 'abcde' },
      '/customName unknown_field',
      '/name unknown_field',
    ),
  ]);

  // They have schemas of their own.
  for (const type of ['revenue', 'businessEvent']) {
    const of = (fields: object) => ({
      ...(type === 'revenue' ? revenueOf({}) : { type }),
      customName: undefined,
      ...fields,
    });
    cases([
      accepted(`${type}: name`, of({ name: 'abcde' })),
      accepted(`${type}: customName beside null`, of({ customName: 'bought', name: null })),
      rejected(`${type}: neither`, of({}), ONE_OF),
      rejected(`${type}: both`, of({ name: 'abcde', customName: 'bought' }), ONE_OF),
      rejected(`${type}: both, one empty`, of({ name: '', customName: 'bought' }), ONE_OF),
      rejected(`${type}: name number`, of({ name: 1 }), '/name wrong_type'),
      rejected(`${type}: customName true`, of({ customName: true }), '/customName wrong_type'),
      accepted(`${type}: name of 64 chars`, of({ name: 'é'.repeat(64) })),
      rejected(`${type}: name of 65 chars`, of({ name: 'é'.repeat(65) }), '/name too_long'),
      accepted(`${type}: customName of 256 chars`, of({ customName: 'é'.repeat(256) })),
      rejected(
        `${type}: customName of 257 chars`,
        of({ customName: 'é'.repeat(257) }),
        '/customName too_long',
      ),
      accepted(`${type}: empty, dropped later`, of({ customName: '' })),
    ]);
  }

  check('differing case twice at once is two records as they were written', async (gateway) => {
    const before = gateway.records.length;

    await Promise.all(
      ['Bought', 'bought'].map((customName) => gateway.post(batchWith({ customName }))),
    );

    const written = gateway.records
      .slice(before)
      .map(
        ({ value }) =>
          (JSON.parse(String(value)) as { messages: { customName: string }[] }).messages[0]
            ?.customName,
      );
    expect(new Set(written)).toEqual(new Set(['Bought', 'bought']));
  });
});

describeCorpus('revenue and currency', ({ cases, check }) => {
  cases([
    rejected('revenue missing', revenueOf({ revenue: undefined }), '/revenue required: number'),
    rejected('revenue "10"', revenueOf({ revenue: '10' }), '/revenue wrong_type'),
    rejected('revenue null', revenueOf({ revenue: null }), '/revenue wrong_type: number'),
    rejected('revenue true', revenueOf({ revenue: true }), '/revenue wrong_type'),
    rejected('revenue in an array', revenueOf({ revenue: [1] }), '/revenue wrong_type'),
    accepted('-5', revenueOf({ revenue: -5 })),
    accepted('0', revenueOf({ revenue: 0 })),
    accepted('-0', '"type":"revenue","currency":"EUR","revenue":-0.0'),
    accepted('an integer', revenueOf({ revenue: 10 })),
    accepted('1e308', '"type":"revenue","currency":"EUR","revenue":1e308'),
    rejected(
      '1e309',
      '"type":"revenue","currency":"EUR","revenue":1e309',
      `/revenue out_of_range: ${DOUBLE}`,
    ),
    rejected(
      '-1e309',
      '"type":"revenue","currency":"EUR","revenue":-1e309',
      '/revenue out_of_range',
    ),
    rejected(
      '400 digits',
      `"type":"revenue","currency":"EUR","revenue":${'9'.repeat(400)}`,
      '/revenue out_of_range',
    ),
    accepted('1e-400, which is 0', '"type":"revenue","currency":"EUR","revenue":1e-400'),
    accepted('0.1 + 0.2', revenueOf({ revenue: 0.1 + 0.2 })),
    accepted('beyond 2^53', '"type":"revenue","currency":"EUR","revenue":9007199254740993'),
    rejected(
      'currency missing',
      revenueOf({ currency: undefined }),
      `/currency required: ${CURRENCY}`,
    ),
    rejected('currency null', revenueOf({ currency: null }), '/currency wrong_type: string'),
    rejected('usd', revenueOf({ currency: 'usd' }), `/currency invalid_value: ${CURRENCY}`),
    rejected('US', revenueOf({ currency: 'US' }), '/currency invalid_value'),
    rejected('USDX', revenueOf({ currency: 'USDX' }), '/currency invalid_value'),
    rejected('XXX', revenueOf({ currency: 'XXX' }), '/currency invalid_value'),
    rejected('ZZZ', revenueOf({ currency: 'ZZZ' }), '/currency invalid_value'),
    rejected('an empty one', revenueOf({ currency: '' }), '/currency invalid_value'),
    rejected('with a space', revenueOf({ currency: 'EUR ' }), '/currency invalid_value'),
    rejected('a sign', revenueOf({ currency: '€' }), '/currency invalid_value'),
    rejected('number', revenueOf({ currency: 978 }), '/currency wrong_type'),
    ...['EUR', 'USD', 'JPY', 'CHE', 'ZWG'].map((currency) =>
      accepted(currency, revenueOf({ currency })),
    ),
    ...['BGN', 'HRK', 'DEM', 'ZWL'].map((currency) =>
      accepted(`${currency}, withdrawn`, revenueOf({ currency }), '/currency withdrawn_currency'),
    ),
    accepted(
      'attributes on revenue',
      revenueOf({ attributes: { a: 1 } }),
      '/attributes unsupported_field',
    ),
    accepted(
      'attributes on revenue that are none',
      revenueOf({ attributes: 'x' }),
      '/attributes unsupported_field',
    ),
    accepted(
      'a number no double holds in attributes on revenue',
      '"type":"revenue","currency":"EUR","revenue":1,"attributes":{"a":1e400}',
      '/attributes unsupported_field',
    ),
    accepted(
      'revenue of an action, which has none',
      { revenue: 'x', currency: 5 },
      '/revenue unknown_field',
      '/currency unknown_field',
    ),
  ]);

  check('NaN is no JSON', async (gateway) => {
    expect(
      (await gateway.post(textWith('"type":"revenue","currency":"EUR","revenue":NaN'))).problem
        .code,
    ).toBe('invalid_json');
  });
});

const nested = (levels: number, [open, close]: readonly [string, string]): string =>
  `"attributes":{"a":${open.repeat(levels)}1${close.repeat(levels)}}`;
const OBJECTS = ['{"a":', '}'] as const;
const ARRAYS = ['[', ']'] as const;
/** The fields of a message of the given size. */
const messageOf = (bytes: number, more = ''): string => {
  const fields = `${more}"attributes":{"a":[[],{},1.5,null],"b":"?"}`;
  const [message] = (JSON.parse(textWith(fields)) as { readonly messages: readonly unknown[] })
    .messages;
  return fields.replace('?', 'x'.repeat(bytes - JSON.stringify(message).length + 1));
};
const keys = (count: number) => ({
  attributes: Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 1])),
});

describeCorpus('attributes: type, depth, keys, size', ({ cases }) => {
  cases([
    rejected('null', { attributes: null }, '/attributes wrong_type: object'),
    rejected('array', { attributes: [] }, '/attributes wrong_type'),
    rejected('string', { attributes: 'canary' }, '/attributes wrong_type'),
    rejected('number', { attributes: 5 }, '/attributes wrong_type'),
    rejected(
      'array, of a businessEvent',
      { type: 'businessEvent', attributes: [] },
      '/attributes wrong_type',
    ),
    accepted('none in an empty object', { attributes: {} }),
    // The message is level 1, its attributes level 2.
    accepted('depth 16', nested(14, OBJECTS)),
    accepted('depth 16 of arrays', nested(14, ARRAYS)),
    rejected(
      'depth 17',
      nested(15, OBJECTS),
      `/attributes${'/a'.repeat(15)} too_deep: at most 16 levels in a message`,
    ),
    rejected('depth 17 of arrays', nested(15, ARRAYS), `/attributes/a${'/0'.repeat(14)} too_deep`),
    rejected('depth 2,000', nested(2_000, ARRAYS), `/attributes/a${'/0'.repeat(14)} too_deep`),
    rejected('depth 5,000', nested(5_000, OBJECTS), ' too_many'),
    rejected('depth 400k', nested(400_000, ARRAYS), ' too_long'),
    rejected(
      'depth 17 in an unknown field',
      `"x":${'['.repeat(16)}${']'.repeat(16)}`,
      `/x${'/0'.repeat(15)} too_deep`,
    ),
    // type, id, time, customName and attributes are keys of the message too.
    accepted('1,000 keys', keys(995)),
    rejected('1,001 keys', keys(996), ` too_many: ${KEYS}`),
    rejected(
      '1,001 keys on all levels',
      { attributes: { a: Array.from({ length: 250 }, () => ({ a: 1, b: 2, c: 3, d: 4 })) } },
      ' too_many',
    ),
    rejected('80k keys', keys(80_000), ' too_many'),
    accepted('value 8 KiB', { attributes: { a: 'x'.repeat(8_192) } }),
    accepted('value 8 KiB + 1', { attributes: { a: 'x'.repeat(8_193) } }),
    accepted('a message of 32 KiB', messageOf(32_768)),
    rejected('a message of 32 KiB + 1', messageOf(32_769), ` too_long: ${BYTES}`),
    accepted(
      'a message of 32 KiB, with a warning',
      messageOf(32_768, '"x":{},'),
      '/x unknown_field',
    ),
    rejected(
      'numbers that take more than 32 KiB when written out',
      `"attributes":{"a":[${Array.from({ length: 1_600 }, () => '1e20').join(',')}]}`,
      ' too_long',
    ),
    rejected(
      'long integers of more than 32 KiB',
      `"attributes":{"a":[${Array.from({ length: 110 }, () => '9'.repeat(300)).join()}]}`,
      ' too_long',
    ),
    rejected('value 32 KiB', { attributes: { a: 'x'.repeat(32_768) } }, ' too_long'),
    rejected(
      '32 KiB of three-byte characters',
      { attributes: { a: '字'.repeat(10_923) } },
      ' too_long',
    ),
    accepted('array 10k', { attributes: { a: Array.from({ length: 10_000 }, () => 1) } }),
    rejected(
      'array 20k',
      { attributes: { a: Array.from({ length: 20_000 }, () => 1) } },
      ' too_long',
    ),
  ]);
});

describeCorpus('attributes: keys and values', ({ cases, check }) => {
  cases([
    accepted('key empty', { attributes: { '': { '': 1 } } }),
    rejected(
      'key NUL',
      String.raw`"attributes":{"a\u0000":1}`,
      '/attributes nul_not_allowed: keys without U+0000',
    ),
    accepted('key $where', { attributes: { $where: 'sleep(1000)' } }),
    accepted('key a.b', { attributes: { 'a.b': 1, a: { b: 2 } } }),
    accepted('key __proto__', '"attributes":{"__proto__":{"isAdmin":true}}'),
    accepted(
      'key constructor.prototype',
      '"attributes":{"constructor":{"prototype":{"isAdmin":true}},"toString":1}',
    ),
    accepted('key 300 B', { attributes: { ['k'.repeat(300)]: 1 } }),
    accepted('key emoji and RTL', { attributes: { '😀': 1, مفتاح: 2 } }),
    accepted('keys of slashes and tildes', { attributes: { 'a/b~c': 1 } }),
    rejected(
      'a fault below a key of slashes and tildes',
      '"attributes":{"a/b~c":1e400}',
      '/attributes/a~1b~0c out_of_range',
    ),
    rejected('value NUL', String.raw`"attributes":{"a":"\u0000"}`, '/attributes/a nul_not_allowed'),
    rejected(
      'value NUL, deep down',
      String.raw`"attributes":{"a":[{"b":"x\u0000y"}]}`,
      '/attributes/a/0/b nul_not_allowed',
    ),
    {
      ...accepted(
        'lone surrogate in key and value',
        String.raw`"attributes":{"a\ud800":"b\udfff"}`,
      ),
      published: textWith('"attributes":{"a\ufffd":"b\ufffd"}'),
    },
    rejected('1e400', '"attributes":{"a":1e400}', `/attributes/a out_of_range: ${DOUBLE}`),
    rejected(
      'an integer beyond a double',
      `"attributes":{"a":${'9'.repeat(310)}}`,
      '/attributes/a out_of_range',
    ),
    rejected('-1e400 in an array', '"attributes":{"a":[0,-1e400]}', '/attributes/a/1 out_of_range'),
    rejected('1e131072', '"attributes":{"a":1e131072}', '/attributes/a out_of_range'),
    accepted('1e400 in an unknown field', '"x":1e400', '/x unknown_field'),
    accepted('9007199254740993', '"attributes":{"a":9007199254740993}'),
    accepted('30 digits', '"attributes":{"a":123456789012345678901234567890}'),
    accepted('-0', '"attributes":{"a":-0,"b":-0.0}'),
    accepted('a double of many digits', '"attributes":{"a":0.12345678901234567890}'),
    accepted('string, integer, double, boolean, null, date, object, array', {
      attributes: {
        s: '',
        i: 1,
        d: 1.5,
        b: false,
        n: null,
        at: '2024-02-29T12:00:00.000Z',
        o: {},
        a: [1, 'x', null, []],
      },
    }),
    accepted('date-like 2024-13-45T99:99:99.999Z', {
      attributes: { a: '2024-13-45T99:99:99.999Z' },
    }),
    accepted('date-like 2024-02-30', {
      attributes: { a: '2024-02-30T00:00:00.000Z', b: '2024-02-30' },
    }),
    accepted('date-like of the year 10000', {
      attributes: { a: '+010000-01-01T00:00:00.000Z', b: '10000-01-01T00:00:00.000Z' },
    }),
    accepted('date-like without Z', { attributes: { a: '2024-01-01T00:00:00.000' } }),
    accepted('duplicate keys', '"attributes":{"a":1,"a":"2"}'),
  ]);

  check('bytes are those of the request, to the last space', async (gateway) => {
    const text = ` {\n\t"messages" : [ {"type":"action" , "id":"m1","time":1.0e3,"customName":"n","attributes":{ "x" : 1.50 } } ],"customUserId":"u1"}\r\n`;

    await gateway.post(text);

    expect(String(gateway.records.at(-1)?.value)).toBe(text);
  });

  check('a prototype key changes no prototype', async (gateway) => {
    await gateway.post(
      textWith(String.raw`"attributes":{"__proto__":{"polluted":true},"x":"\ud800"}`),
    );

    expect(({} as { polluted?: true }).polluted).toBeUndefined();
    expect(gateway.records.at(-1)?.key).toBe(`${APPLICATION_ID}:u1`);
    expect(String(gateway.records.at(-1)?.value)).toContain('"__proto__":{"polluted":true}');
  });
});
