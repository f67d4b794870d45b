import { LIMITS } from '@tidings/contracts/limits';
import fc from 'fast-check';

/** JSON text that breaks parsers, validators and stores. */
const BARBS = [
  String.raw`"\u0000"`,
  String.raw`"\ud800"`,
  String.raw`"\udc00x"`,
  String.raw`"\ud83d\ude00"`,
  '1e400',
  '-1e400',
  '1e21',
  '1.0',
  '1e3',
  '-0',
  '9007199254740993',
  '9223372036854775807',
  '9223372036854775808',
  '-9223372036854775809',
  '123456789012345678901234567890',
  'null',
  'true',
  '""',
  '" "',
  '[]',
  '{}',
  '[[[[]]]]',
  '{"__proto__":{"a":1}}',
  '{"constructor":1,"a.b":2,"$x":3}',
  '"2024-13-45T00:00:00.000Z"',
  '5',
  '"abcde"',
  '"EUR"',
  '"user"',
  '"businessEvent"',
  `"${'x'.repeat(300)}"`,
  `${'['.repeat(20)}${']'.repeat(20)}`,
  'NaN',
  '01',
  '',
  ',',
  '}',
] as const;

const barb = fc.constantFrom(...BARBS);
const json = (value: unknown): string => JSON.stringify(value) ?? 'null';
const plainText = fc.string({ unit: 'grapheme', maxLength: 12 }).map(json);
const attributes = fc.jsonValue({ maxDepth: 3 }).map((value) => `{"a":${json(value)}}`);

const FIELDS: Readonly<Record<string, fc.Arbitrary<string>>> = {
  id: fc.string({ minLength: 1, maxLength: 20 }).map(json),
  time: fc.integer({ min: -(10 ** 6), max: 1_700_000_000_000 }).map(String),
  name: plainText,
  customName: plainText,
  attributes,
  revenue: fc.double({ noNaN: true, noDefaultInfinity: true }).map(json),
  currency: fc.constantFrom('"EUR"', '"USD"', '"usd"', '"XXX"'),
  firstName: plainText,
  email: plainText,
  birthday: fc.integer().map(String),
  customAttributes: attributes,
  extra: fc.jsonValue({ maxDepth: 2 }).map(json),
};

/** The required fields of a message type. */
const NEEDED = {
  action: ['customName'],
  businessEvent: ['name'],
  revenue: ['customName', 'revenue', 'currency'],
  user: ['firstName'],
} as const;

const field = (name: string): fc.Arbitrary<string> =>
  fc
    .oneof({ weight: 40, arbitrary: FIELDS[name] ?? barb }, { weight: 1, arbitrary: barb })
    .map((value) => `"${name}":${value}`);

const message: fc.Arbitrary<string> = fc
  .constantFrom(...(Object.keys(NEEDED) as (keyof typeof NEEDED)[]))
  .chain((type) =>
    fc.tuple(
      fc.constant(`"type":"${type}"`),
      ...['id', 'time', ...NEEDED[type]].map(field),
      fc
        .array(fc.constantFrom(...Object.keys(FIELDS)).chain(field), { maxLength: 1 })
        .map((more) => more.join(',')),
    ),
  )
  .map((fields) => `{${fields.filter((text) => text !== '').join(',')}}`);

const envelope: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom(
      '"customUserId":"u1"',
      '"customUserId":"u1"',
      '"serviceUserId":"0199a5c0-0000-7000-8000-000000000001"',
      '"customUserId":"é","serviceUserId":"x"',
      '"customUserId":null',
      '"x":{"y":1},"customUserId":"u1"',
    ),
    fc.array(fc.oneof({ weight: 30, arbitrary: message }, { weight: 1, arbitrary: barb }), {
      minLength: 0,
      maxLength: 4,
    }),
  )
  .map(([ids, messages]) => `{${ids},"messages":[${messages.join(',')}]}`);

const spliced: fc.Arbitrary<string> = fc
  .tuple(envelope, fc.nat(), fc.nat({ max: 8 }), barb)
  .map(
    ([text, at, length, inserted]) =>
      text.slice(0, at % (text.length + 1)) +
      inserted +
      text.slice((at % (text.length + 1)) + length),
  );

/** A message of about the maximum size: mostly text. */
const sized: fc.Arbitrary<string> = fc
  .tuple(fc.integer({ min: -3, max: 3 }), fc.jsonValue({ maxDepth: 3 }).map(json))
  .map(([more, value]) => {
    const head = `{"type":"action","id":"m","time":1700000000000,"customName":"n","attributes":{"a":${value},"b":"`;
    const filling = 'x'.repeat(
      Math.max(0, LIMITS.messageBytesMax + more - Buffer.byteLength(head) - '"}}'.length),
    );
    return `{"customUserId":"u1","messages":[${head}${filling}"}}]}`;
  });

/** Bodies of `POST /`: mostly valid and almost valid batches, and some arbitrary ones. */
export const arbitraryBody: fc.Arbitrary<Buffer> = fc.oneof(
  { weight: 8, arbitrary: envelope.map((text) => Buffer.from(text)) },
  { weight: 4, arbitrary: spliced.map((text) => Buffer.from(text)) },
  { weight: 1, arbitrary: sized.map((text) => Buffer.from(text)) },
  { weight: 1, arbitrary: fc.json().map((text) => Buffer.from(text)) },
  {
    weight: 1,
    arbitrary: fc
      .jsonValue()
      .map((value) => Buffer.from(`{"customUserId":"u1","messages":[${json(value)}]}`)),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary' }).map((text) => Buffer.from(text)) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes)) },
);
