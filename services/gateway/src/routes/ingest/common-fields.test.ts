import { expect } from '@jest/globals';
import { describeCorpus, textWith, type CorpusCase } from '../../testing/corpus.ts';
import {
  OTHER_APPLICATION_ID,
  OTHER_KEY,
  SERVER_HEADERS,
  batchWith,
} from '../../testing/test-gateway.ts';

const TYPES = 'action, revenue, businessEvent, user';

/** The one field of the first message, as written. */
const rejected = (
  name: string,
  fields: string | Record<string, unknown>,
  ...errors: readonly string[]
): CorpusCase => ({
  name,
  body: typeof fields === 'string' ? textWith(fields) : batchWith(fields),
  status: 400,
  code: 'validation_failed',
  errors: errors.map((error) => `/messages/0${error}`),
});
const accepted = (
  name: string,
  fields: string | Record<string, unknown>,
  ...warnings: readonly string[]
): CorpusCase => ({
  name,
  body: typeof fields === 'string' ? textWith(fields) : batchWith(fields),
  status: 200,
  warnings: warnings.map((warning) => `/messages/0${warning}`),
});

describeCorpus('type', ({ cases }) => {
  cases([
    rejected('missing', { type: undefined }, `/type required: ${TYPES}`),
    rejected('unknown', { type: 'canary' }, `/type invalid_value: ${TYPES}`),
    rejected('Action', { type: 'Action' }, '/type invalid_value'),
    rejected('in capitals', { type: 'REVENUE' }, '/type invalid_value'),
    rejected('with spaces', { type: ' action' }, '/type invalid_value'),
    rejected('empty', { type: '' }, '/type invalid_value'),
    rejected('null', { type: null }, '/type wrong_type: string'),
    rejected('array', { type: ['action'] }, '/type wrong_type'),
    rejected('number', { type: 1 }, '/type wrong_type'),
    rejected('__proto__', { type: '__proto__' }, '/type invalid_value'),
    rejected('constructor', { type: 'constructor' }, '/type invalid_value'),
    rejected(
      'with NUL',
      String.raw`"type":"action\u0000"`,
      '/type invalid_value',
      '/type nul_not_allowed',
    ),
    accepted('twice, of which the last counts', '"type":5,"type":"action"'),
  ]);
});

describeCorpus('fields that no type has', ({ cases }) => {
  cases([
    rejected('a name with NUL', String.raw`"\u0000":1`, ' nul_not_allowed'),
    rejected(
      'a value with NUL',
      String.raw`"x":"\u0000"`,
      '/x nul_not_allowed: text without U+0000',
    ),
  ]);
});

describeCorpus('id', ({ cases, check }) => {
  cases([
    rejected('missing', { id: undefined }, '/id required: string'),
    rejected('null', { id: null }, '/id wrong_type: string'),
    rejected('empty', { id: '' }, '/id empty: at least 1 character'),
    rejected('number', { id: 5 }, '/id wrong_type'),
    rejected('object', { id: {} }, '/id wrong_type'),
    rejected('129 chars', { id: 'x'.repeat(129) }, '/id too_long: at most 128 characters'),
    rejected('3 KB', { id: 'x'.repeat(3_000) }, '/id too_long'),
    accepted('128 chars', { id: 'x'.repeat(128) }),
    accepted('128 emoji', { id: '😀'.repeat(128) }),
    rejected('129 emoji', { id: '😀'.repeat(129) }, '/id too_long'),
    rejected('NUL', String.raw`"id":"a\u0000"`, '/id nul_not_allowed: text without U+0000'),
    rejected(
      'lone surrogate',
      String.raw`"id":"\ud800"`,
      '/id invalid_value: text without lone surrogates',
    ),
    accepted('one space', { id: ' ' }),
    accepted('no UUID', { id: 'order 17/ü' }),
    accepted('digits', { id: '12345678901234567890' }),
    accepted('__proto__', { id: '__proto__' }),
  ]);

  check('duplicate in batch is accepted: the first has it', async (gateway) => {
    const { messages } = batchWith();

    expect(
      (await gateway.post({ customUserId: 'u1', messages: [...messages, ...messages] })).body,
    ).toMatchObject({ received: 2, accepted: 2 });
  });

  check('duplicate across requests is accepted each time, also at once', async (gateway) => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => gateway.post(batchWith())));

    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  });

  check('the same id in two apps is two records, each its application’s', async (gateway) => {
    const other = {
      ...SERVER_HEADERS,
      'X-Application-Id': OTHER_APPLICATION_ID,
      'X-API-Key': OTHER_KEY,
    };

    await gateway.post(batchWith());
    await gateway.post(batchWith(), { headers: other });

    const [first, second] = gateway.records
      .slice(-2)
      .map(({ headers }) => headers?.['application-id']);
    expect(first).not.toBe(second);
    expect(second).toBe(OTHER_APPLICATION_ID);
  });
});

const WARNED = '/time suspicious_time';

describeCorpus('time', ({ cases, check }) => {
  cases([
    rejected('missing', { time: undefined }, '/time required: integer'),
    rejected('null', { time: null }, '/time wrong_type: integer'),
    rejected('string of digits', { time: '1700000000000' }, '/time wrong_type'),
    rejected('float 1.5', { time: 1.5 }, '/time wrong_type'),
    rejected('true', { time: true }, '/time wrong_type'),
    rejected('array', { time: [1] }, '/time wrong_type'),
    rejected('ISO string', { time: '2024-01-01T00:00:00.000Z' }, '/time wrong_type'),
    accepted('-1', { time: -1 }),
    accepted('0', { time: 0 }),
    accepted('-0', '"time":-0'),
    accepted('1.0', '"time":1.0'),
    accepted('1e3', '"time":1e3'),
    accepted('1E+3', '"time":1E+3'),
    rejected('1e-3', '"time":1e-3', '/time wrong_type'),
    rejected('1e21', '"time":1e21', '/time out_of_range: a Long'),
    rejected('-1e21', '"time":-1e21', '/time out_of_range'),
    rejected('1e400', '"time":1e400', '/time out_of_range: a number that a Double can hold'),
    rejected('-1e400', '"time":-1e400', '/time out_of_range'),
    accepted('2^53', '"time":9007199254740992', WARNED),
    accepted('2^53 + 1', '"time":9007199254740993', WARNED),
    accepted('8.64e15', '"time":8.64e15', WARNED),
    accepted('8.64e15 + 1', '"time":8640000000000001', WARNED),
    accepted('the last Long', '"time":9223372036854775807', WARNED),
    rejected(
      'one more than the last Long',
      '"time":9223372036854775808',
      '/time out_of_range: a Long',
    ),
    accepted('the first Long', '"time":-9223372036854775808'),
    rejected('one less than the first Long', '"time":-9223372036854775809', '/time out_of_range'),
    rejected(
      'the last Long as an exponent',
      '"time":9.223372036854775807e18',
      '/time out_of_range',
    ),
    rejected('1,000 digits', `"time":${'9'.repeat(1_000)}`, '/time out_of_range'),
    accepted('seconds', { time: 1_700_000_000 }, WARNED),
    accepted('the last that looks like seconds', { time: 9_999_999_999 }, WARNED),
    accepted('milliseconds of April 1970', { time: 10_000_000_000 }),
    accepted('milliseconds of January 1970', { time: 999_999_999 }),
    accepted('microseconds', '"time":1700000000000000', WARNED),
    accepted('future 1 y', { time: 1_700_000_000_000 + 31_536_000_000 }, WARNED),
    accepted('24 h ahead', { time: 1_700_000_000_000 + 86_400_000 }),
    accepted('24 h and 1 ms ahead', { time: 1_700_000_000_000 + 86_400_001 }, WARNED),
    accepted('1970', { time: 31_536_000_000 }),
    accepted('before 1970', { time: -86_400_000 }),
  ]);

  check('NaN is no JSON', async (gateway) => {
    expect((await gateway.post(textWith('"time":NaN'))).problem.code).toBe('invalid_json');
  });

  const same = { serviceUserId: '0199a5c0-0000-7000-8000-000000000001', customUserId: null };
  check('the same serviceUserId and time in batch, across types', async (gateway) => {
    const [message] = batchWith().messages;
    const messages = [
      message,
      { ...message, id: 'm2' },
      { ...message, id: 'm3', type: 'businessEvent' },
      { type: 'user', id: 'm4', time: message?.time },
    ];

    expect((await gateway.post({ ...same, messages })).body).toMatchObject({ accepted: 4 });
  });

  check(
    'the same serviceUserId and time across requests, concurrent ×50, keep one partition',
    async (gateway) => {
      const before = gateway.records.length;

      await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          gateway.post(batchWith({ id: `m${index}` }, same)),
        ),
      );

      expect(gateway.records.slice(before)).toHaveLength(50);
      expect(new Set(gateway.records.slice(before).map(({ key }) => key)).size).toBe(1);
    },
  );
});
