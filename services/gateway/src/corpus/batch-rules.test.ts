import { expect } from '@jest/globals';
import { describeCorpus, textWith, type CorpusCase } from '../testing/corpus.ts';
import { batchWith } from '../testing/test-gateway.ts';

const { messages } = batchWith();
const [action] = messages;
const UUID = '0199a5c0-0000-7000-8000-000000000001';
const businessEvent = { ...action, type: 'businessEvent' };
const revenue = { ...action, type: 'revenue', revenue: 1, currency: 'EUR' };
const user = { type: 'user', id: 'm1', time: 1 };

const rejected = (name: string, body: unknown, ...errors: readonly string[]): CorpusCase => ({
  name,
  body,
  status: 400,
  code: 'validation_failed',
  errors,
});
const accepted = (name: string, body: unknown, ...warnings: readonly string[]): CorpusCase => ({
  name,
  body,
  status: 200,
  warnings,
});
const repeated = (count: number) => ({
  customUserId: 'u1',
  messages: Array.from({ length: count }, () => action),
});

describeCorpus('envelope', ({ cases }) => {
  cases([
    accepted('messages: 1', repeated(1)),
    accepted('messages: 1,000', repeated(1_000)),
    rejected('missing → 400', { customUserId: 'u1' }, '/messages required'),
    rejected(
      'not an array → 400',
      { customUserId: 'u1', messages: { 0: action } },
      '/messages wrong_type',
    ),
    rejected('empty → 400', repeated(0), '/messages empty'),
    rejected('too many → 400', repeated(1_001), '/messages too_many'),
    accepted(
      'unknown extra fields anywhere never cause 400, those of the envelope and of the four types are named',
      {
        customUserId: 'u1',
        a: null,
        messages: [action, revenue, businessEvent, user].map((message, index) => ({
          ...message,
          [`x${index}`]: { deep: [index] },
        })),
      },
      '/a unknown_field',
      ...[0, 1, 2, 3].map((index) => `/messages/${index}/x${index} unknown_field`),
    ),
    accepted(
      'unknown fields inside attributes are not unknown',
      batchWith({ attributes: { anything: { at: 'all' } } }),
    ),
    accepted('customUserId of 1 character', { customUserId: 'u', messages }),
    accepted('customUserId of 256 characters', { customUserId: '字'.repeat(256), messages }),
    rejected(
      'customUserId of 257 characters → 400',
      { customUserId: '字'.repeat(257), messages },
      '/customUserId too_long',
    ),
    rejected(
      'customUserId of the wrong type → 400',
      { customUserId: 7, messages },
      '/customUserId wrong_type',
    ),
    rejected(
      'customUserId null counts as absent',
      { customUserId: null, messages },
      '/customUserId required',
    ),
    accepted('customUserId null beside a serviceUserId', {
      customUserId: null,
      serviceUserId: UUID,
      messages,
    }),
    accepted(
      'customUserId empty → 200',
      { customUserId: '', messages },
      '/customUserId suspicious_user_id',
    ),
    rejected(
      'serviceUserId of the wrong type → 400',
      { customUserId: 'u1', serviceUserId: 7, messages },
      '/serviceUserId wrong_type',
    ),
    accepted('serviceUserId null is absent', { customUserId: 'u1', serviceUserId: null, messages }),
    accepted('serviceUserId malformed → 200', { serviceUserId: 'not a uuid', messages }),
    ...[action, revenue, user].map((message) =>
      rejected(
        `${message?.type} needs an id → 400 naming /customUserId`,
        { messages: [message] },
        '/customUserId required',
      ),
    ),
    ...[action, revenue, user].map((message) =>
      accepted(`${message?.type} is content with a serviceUserId`, {
        serviceUserId: UUID,
        messages: [message],
      }),
    ),
    ...[action, revenue, user].map((message) =>
      accepted(`${message?.type} is content with a customUserId`, {
        customUserId: 'u1',
        messages: [message],
      }),
    ),
    accepted('businessEvent needs neither', { messages: [businessEvent] }),
    rejected(
      'a mixed batch follows its strictest message',
      { messages: [businessEvent, user] },
      '/customUserId required',
    ),
  ]);
});

const field = (name: string, fields: string, ...warnings: readonly string[]): CorpusCase =>
  accepted(name, textWith(fields), ...warnings.map((warning) => `/messages/0${warning}`));
const wrong = (name: string, fields: string, ...errors: readonly string[]): CorpusCase =>
  rejected(name, textWith(fields), ...errors.map((error) => `/messages/0${error}`));
const WARNED = '/time suspicious_time';

describeCorpus('common fields', ({ cases, check }) => {
  cases([
    ...[action, revenue, businessEvent, user].map((message) =>
      accepted(`type ${message?.type}`, { customUserId: 'u1', messages: [message] }),
    ),
    wrong('type is case-sensitive', '"type":"BusinessEvent"', '/type invalid_value'),
    wrong('type is exact', '"type":"businessevent"', '/type invalid_value'),
    field('id of 1 character', '"id":"x"'),
    field('id of 128 characters', `"id":"${'字'.repeat(128)}"`),
    wrong('id of none', '"id":""', '/id empty'),
    wrong('id of 129', `"id":"${'字'.repeat(129)}"`, '/id too_long'),
    field('id need not be a UUID', '"id":"order-17"'),
    wrong('time string → 400', '"time":"1"', '/time wrong_type'),
    wrong('time fraction → 400', '"time":1.5', '/time wrong_type'),
    wrong('time boolean → 400', '"time":false', '/time wrong_type'),
    wrong('time null → 400', '"time":null', '/time wrong_type'),
    rejected('time missing → 400', batchWith({ time: undefined }), '/messages/0/time required'),
    field('1e3 is an integer', '"time":1e3'),
    field('1.0 is an integer', '"time":1.0'),
    field('0 is valid', '"time":0'),
    field('negative values are valid', '"time":-1'),
    field('up to 9223372036854775807 is a Long', '"time":9223372036854775807', WARNED),
    wrong('one more → 400', '"time":9223372036854775808', '/time out_of_range'),
    field('9007199254740993 is kept exactly', '"time":9007199254740993', WARNED),
    field(
      'a value that looks like seconds is accepted with a warning',
      '"time":1700000000',
      WARNED,
    ),
    field('more than 24 h ahead is accepted with a warning', '"time":1700086400001', WARNED),
    wrong(
      'no U+0000 in any string',
      String.raw`"attributes":{"a":"\u0000"}`,
      '/attributes/a nul_not_allowed',
    ),
    wrong(
      'no U+0000 in any key',
      String.raw`"attributes":{"\u0000":1}`,
      '/attributes nul_not_allowed',
    ),
    wrong('no U+0000 in a key of the message', String.raw`"\u0000":1`, ' nul_not_allowed'),
    field(
      'depth 16, counted from the message',
      `"attributes":${'{"a":'.repeat(14)}{}${'}'.repeat(14)}`,
    ),
    wrong(
      'no depth above 16',
      `"attributes":${'{"a":'.repeat(15)}{}${'}'.repeat(15)}`,
      `/attributes${'/a'.repeat(15)} too_deep`,
    ),
    field(
      '1,000 keys per message',
      `"attributes":{${Array.from({ length: 995 }, (_, index) => `"${index}":0`).join()}}`,
    ),
    wrong(
      'at most 1,000 keys per message',
      `"attributes":{${Array.from({ length: 996 }, (_, index) => `"${index}":0`).join()}}`,
      ' too_many',
    ),
    field('almost 32 KiB per message', `"attributes":{"a":"${'x'.repeat(32_600)}"}`),
    wrong('at most 32 KiB per message', `"attributes":{"a":"${'x'.repeat(32_768)}"}`, ' too_long'),
    {
      ...field('lone surrogates become U+FFFD in values', String.raw`"customName":"\udfff"`),
      published: textWith('"customName":"\ufffd"'),
    },
    wrong('and are 400 in ids', String.raw`"id":"\udfff"`, '/id invalid_value'),
    field(
      'keys such as __proto__, a.b, $x, emoji, right-to-left text are kept verbatim',
      '"attributes":{"__proto__":{"x":1},"a.b":1,"$x":1,"😀":1,"עברית":1}',
    ),
  ]);

  check('the bounds of a message are its own: many of 30 KB are one batch', async (gateway) => {
    const batch = {
      customUserId: 'u1',
      messages: Array.from({ length: 30 }, (_, index) => ({
        ...action,
        id: `m${index}`,
        attributes: { a: 'x'.repeat(30_000) },
      })),
    };

    expect((await gateway.post(batch)).status).toBe(200);
  });
});
