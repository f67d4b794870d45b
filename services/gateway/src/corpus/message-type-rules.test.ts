import { expect } from '@jest/globals';
import { describeCorpus, textWith, type CorpusCase } from '../testing/corpus.ts';
import { batchWith } from '../testing/test-gateway.ts';

const rejected = (
  name: string,
  fields: Record<string, unknown>,
  ...errors: readonly string[]
): CorpusCase => ({
  name,
  body: batchWith(fields),
  status: 400,
  code: 'validation_failed',
  errors: errors.map((error) => `/messages/0${error}`),
});
const accepted = (
  name: string,
  fields: Record<string, unknown>,
  ...warnings: readonly string[]
): CorpusCase => ({
  name,
  body: batchWith(fields),
  status: 200,
  warnings: warnings.map((warning) => `/messages/0${warning}`),
});
const written = (name: string, fields: string): CorpusCase => ({
  name,
  body: textWith(fields),
  status: 200,
});

const EVENTS = ['action', 'revenue', 'businessEvent'] as const;
const amount = (type: string): Record<string, unknown> =>
  type === 'revenue' ? { revenue: 1, currency: 'EUR' } : {};

describeCorpus('events', ({ cases }) => {
  for (const type of EVENTS) {
    const of = (fields: Record<string, unknown>): Record<string, unknown> => ({
      type,
      ...amount(type),
      customName: undefined,
      ...fields,
    });
    cases([
      accepted(`${type}: name`, of({ name: 'abcde' })),
      accepted(`${type}: customName`, of({ customName: 'bought' })),
      accepted(`${type}: null counts as absent`, of({ customName: 'bought', name: null })),
      rejected(`${type}: neither → 400`, of({}), ' exactly_one_of'),
      rejected(
        `${type}: both → 400`,
        of({ name: 'abcde', customName: 'bought' }),
        ' exactly_one_of',
      ),
      rejected(
        `${type}: both → 400 even when one is empty`,
        of({ name: '', customName: 'bought' }),
        ' exactly_one_of',
      ),
      rejected(`${type}: name of the wrong type → 400`, of({ name: 1 }), '/name wrong_type'),
      rejected(
        `${type}: customName of the wrong type → 400`,
        of({ customName: true }),
        '/customName wrong_type',
      ),
      accepted(`${type}: name of 64 characters`, of({ name: 'é'.repeat(64) })),
      rejected(
        `${type}: name longer than 64 → 400`,
        of({ name: 'é'.repeat(65) }),
        '/name too_long',
      ),
      accepted(`${type}: customName of 256 characters`, of({ customName: 'é'.repeat(256) })),
      rejected(
        `${type}: customName longer than 256 → 400`,
        of({ customName: 'é'.repeat(257) }),
        '/customName too_long',
      ),
      accepted(`${type}: present but empty → 200`, of({ customName: '' })),
      accepted(`${type}: present but blank → 200`, of({ name: ' \t' })),
      accepted(`${type}: unknown slug → 200`, of({ name: 'no such slug' })),
    ]);
  }
});

const revenue = (fields: Record<string, unknown>): Record<string, unknown> => ({
  type: 'revenue',
  revenue: 1,
  currency: 'EUR',
  ...fields,
});

describeCorpus('revenue', ({ cases }) => {
  cases([
    rejected('revenue is required', revenue({ revenue: undefined }), '/revenue required'),
    accepted('an integer literal is a valid Double', revenue({ revenue: 10 })),
    accepted('a fraction', revenue({ revenue: 9.99 })),
    accepted('negative is valid', revenue({ revenue: -1 })),
    accepted('0 is valid', revenue({ revenue: 0 })),
    rejected('a string → 400', revenue({ revenue: '9.99' }), '/revenue wrong_type'),
    rejected('currency is required', revenue({ currency: undefined }), '/currency required'),
    rejected('not in capitals → 400', revenue({ currency: 'eur' }), '/currency invalid_value'),
    rejected('no code of ISO 4217 → 400', revenue({ currency: 'ABC' }), '/currency invalid_value'),
    accepted(
      'attributes on revenue are 200 with a warning unsupported_field',
      revenue({ attributes: { a: 1 } }),
      '/attributes unsupported_field',
    ),
  ]);
});

describeCorpus('attributes', ({ cases, check }) => {
  for (const type of ['action', 'businessEvent']) {
    cases([
      accepted(`${type}: an object`, { type, attributes: { a: 1 } }),
      accepted(`${type}: none`, { type }),
      ...[null, [], 'x', 1, true].map((attributes) =>
        rejected(
          `${type}: ${JSON.stringify(attributes)} → 400`,
          { type, attributes },
          '/attributes wrong_type',
        ),
      ),
    ]);
  }
  cases([
    written(
      'string, integer, double, boolean, date, object, array and null go on as they were written',
      '"attributes":{"s":"x","i":1,"d":1.0,"b":true,"t":"2024-05-01T10:00:00.000Z","o":{"k":[]},"a":[1,1.5],"n":null}',
    ),
    written('a date at any depth', '"attributes":{"a":[{"b":"2024-05-01T10:00:00.000Z"}]}'),
    written(
      'what is no date stays a string',
      '"attributes":{"a":"2024-13-45T00:00:00.000Z","b":"2024-11-20"}',
    ),
    written(
      'integers beyond 2^53 are exact',
      '"attributes":{"n":[9007199254740993,-9223372036854775808,123456789012345678901234567890]}',
    ),
    written(
      'of a duplicate key the last counts, for every reader of the bytes',
      '"attributes":{"a":1,"a":[2]}',
    ),
  ]);
  check('bytes are those of the request, to the last space', async (gateway) => {
    const text = ` {\n\t"messages" : [ {"type":"action" , "id":"m1","time":1.0e3,"customName":"n","attributes":{ "x" : 1.50 } } ],"customUserId":"u1"}\r\n`;

    await gateway.post(text);

    expect(String(gateway.records.at(-1)?.value)).toBe(text);
  });
});

const user = (fields: Record<string, unknown>): Record<string, unknown> => ({
  type: 'user',
  customName: undefined,
  ...fields,
});
const TEXTS = [
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

describeCorpus('profiles', ({ cases }) => {
  cases([
    accepted('a user message with only type, id and time', user({})),
    ...TEXTS.map((field) => accepted(`${field} is text`, user({ [field]: 'x' }))),
    ...TEXTS.map((field) =>
      rejected(`${field} that is none → 400`, user({ [field]: false }), `/${field} wrong_type`),
    ),
    accepted('birthday: integer milliseconds', user({ birthday: 631_152_000_000 })),
    accepted('birthday may be negative', user({ birthday: -1 })),
    rejected(
      'birthday that is text → 400',
      user({ birthday: '631152000000' }),
      '/birthday wrong_type',
    ),
    rejected('birthday with a fraction → 400', user({ birthday: 0.5 }), '/birthday wrong_type'),
    accepted('gender: any string', user({ gender: 'anything' })),
    accepted(
      'customAttributes: object',
      user({ customAttributes: { plan: 'pro', limits: { seats: [1, 2] } } }),
    ),
    rejected(
      'customAttributes that are none → 400',
      user({ customAttributes: 'x' }),
      '/customAttributes wrong_type',
    ),
    rejected(
      'a top-level array value → 400 unsupported_type',
      user({ customAttributes: { tags: ['x'] } }),
      '/customAttributes/tags unsupported_type',
    ),
    accepted(
      'null clears',
      user({
        ...Object.fromEntries(TEXTS.map((field) => [field, null])),
        birthday: null,
        customAttributes: { plan: null },
      }),
    ),
    accepted('a bad phone number is 200', user({ phoneNumber: 'call me' })),
  ]);
});
