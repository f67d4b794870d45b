import { expect } from '@jest/globals';
import { describeCorpus, type CorpusCase } from '../../testing/corpus.ts';

type Fields = string | Record<string, unknown>;
const text = (fields: string): string =>
  `{"customUserId":"u1","messages":[{"type":"user","id":"m1","time":1700000000000${fields === '' ? '' : `,${fields}`}}]}`;
const bodyOf = (fields: Fields): string =>
  text(typeof fields === 'string' ? fields : JSON.stringify(fields).slice(1, -1));
const accepted = (name: string, fields: Fields, ...warnings: readonly string[]): CorpusCase => ({
  name,
  body: bodyOf(fields),
  status: 200,
  warnings: warnings.map((warning) => `/messages/0${warning}`),
});
const rejected = (name: string, fields: Fields, ...errors: readonly string[]): CorpusCase => ({
  name,
  body: bodyOf(fields),
  status: 400,
  code: 'validation_failed',
  errors: errors.map((error) => `/messages/0${error}`),
});

describeCorpus('registration and birthday', ({ cases }) => {
  cases([
    accepted('empty user registers', ''),
    {
      name: 'empty user of a serviceUserId',
      body: text('').replace(
        '"customUserId":"u1"',
        '"serviceUserId":"0199a5c0-0000-7000-8000-000000000001"',
      ),
      status: 200,
    },
    rejected(
      'birthday string',
      { birthday: '1990-01-01' },
      '/birthday wrong_type: integer or null',
    ),
    rejected(
      'birthday of digits in a string',
      { birthday: '631152000000' },
      '/birthday wrong_type',
    ),
    rejected('birthday float', { birthday: 1.5 }, '/birthday wrong_type'),
    rejected('birthday true', { birthday: true }, '/birthday wrong_type'),
    accepted('birthday negative', { birthday: -631_152_000_000 }),
    accepted('birthday 0', { birthday: 0 }),
    accepted('birthday 1e18', '"birthday":1e18'),
    accepted('birthday the last Long', '"birthday":9223372036854775807'),
    rejected(
      'birthday one more than the last Long',
      '"birthday":9223372036854775808',
      '/birthday out_of_range: a Long',
    ),
    rejected('birthday 1e19', '"birthday":1e19', '/birthday out_of_range'),
    rejected('birthday 1e400', '"birthday":1e400', '/birthday out_of_range'),
    accepted('birthday null unsets', { birthday: null }),
  ]);
});

const FIELDS = [
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
];

describeCorpus('fields of text', ({ cases }) => {
  cases([
    ...FIELDS.flatMap((field) => [
      rejected(`${field} number`, { [field]: 5 }, `/${field} wrong_type: string or null`),
      rejected(`${field} object`, { [field]: { canary: 'canary' } }, `/${field} wrong_type`),
      accepted(`${field} null unsets`, { [field]: null }),
      accepted(`${field} empty`, { [field]: '' }),
    ]),
    ...[
      'a@b.com,evil@x.com',
      'a@b.com\r\nBcc: evil@x.com',
      '"quoted local"@example.com',
      'пошта@приклад.укр',
      `${'x'.repeat(243)}@example.com`,
      'no at sign',
      'Group: a@b.com, c@d.com;',
    ].map((email) =>
      accepted(`email ${JSON.stringify(email).slice(0, 40)}, judged when it is sent to`, { email }),
    ),
    ...['0151 2345678', '1-800-FLOWERS', '+1900555', '', '+', '1'.repeat(32)].map((phoneNumber) =>
      accepted(`phone ${JSON.stringify(phoneNumber)}, judged when it is sent to`, { phoneNumber }),
    ),
    rejected('phone as a number', { phoneNumber: 491512345678 }, '/phoneNumber wrong_type'),
    accepted('gender unknown', { gender: 'qwerty' }),
    accepted('country of 3 letters', { country: 'DEU' }),
    accepted('country emoji', { country: '🇩🇪' }),
    accepted('hashedEmail not hex', { hashedEmail: 'not a hash' }),
    accepted('hashed only', { hashedEmail: 'a'.repeat(64), hashedPhoneNumber: 'b'.repeat(64) }),
    accepted('firstName <script>', { firstName: '<script>alert(1)</script>' }),
    accepted('firstName =cmd|…', { firstName: "=cmd|'/c calc'!A1" }),
    accepted('firstName 8 KiB', { firstName: 'x'.repeat(8_192) }),
    rejected('firstName 33 KiB', { firstName: 'x'.repeat(33_000) }, ' too_long'),
    rejected('firstName NUL', String.raw`"firstName":"\u0000"`, '/firstName nul_not_allowed'),
    {
      ...accepted('firstName lone surrogate', String.raw`"firstName":"a\udc00"`),
      published: text('"firstName":"a\ufffd"'),
    },
    accepted('an unknown field', { nickname: 'x' }, '/nickname unknown_field'),
  ]);
});

describeCorpus('customAttributes and time', ({ cases, check }) => {
  cases([
    rejected('array', { customAttributes: [] }, '/customAttributes wrong_type: object or null'),
    rejected('string', { customAttributes: 'canary' }, '/customAttributes wrong_type'),
    accepted('null', { customAttributes: null }),
    accepted('empty', { customAttributes: {} }),
    accepted('nested null', { customAttributes: { a: null, b: { c: null } } }),
    accepted('all types', {
      customAttributes: {
        s: 'x',
        i: 1,
        d: 1.5,
        b: true,
        at: '2024-02-29T12:00:00.000Z',
        o: { list: [1, [2]] },
      },
    }),
    rejected(
      'a top-level array',
      { customAttributes: { tags: ['canary'] } },
      '/customAttributes/tags unsupported_type: anything but an array',
    ),
    rejected(
      'two top-level arrays',
      { customAttributes: { 'a/b': [], c: 1, d: [] } },
      '/customAttributes/a~1b unsupported_type',
      '/customAttributes/d unsupported_type',
    ),
    accepted('key __proto__', '"customAttributes":{"__proto__":{"a":1}}'),
    rejected(
      'key NUL',
      String.raw`"customAttributes":{"\u0000":1}`,
      '/customAttributes nul_not_allowed',
    ),
    accepted('integer beyond 2^53', '"customAttributes":{"n":9007199254740993}'),
    {
      name: 'time year 2100',
      body: text('').replace('1700000000000', '4102444800000'),
      status: 200,
      warnings: ['/messages/0/time suspicious_time'],
    },
    {
      name: 'update older than stored',
      body: text('"city":"Ulm"').replace('1700000000000', '1'),
      status: 200,
    },
  ]);

  check('equal time, different id: both are forwarded in order for one user', async (gateway) => {
    const before = gateway.records.length;

    for (const id of ['m2', 'm1'])
      await gateway.post(text(`"city":"${id}"`).replace('"m1","time"', `"${id}","time"`));

    const records = gateway.records.slice(before);
    expect(new Set(records.map(({ key }) => key)).size).toBe(1);
    expect(records.map(({ value }) => String(value))).toEqual([
      expect.stringContaining('"city":"m2"'),
      expect.stringContaining('"city":"m1"'),
    ]);
  });
});
