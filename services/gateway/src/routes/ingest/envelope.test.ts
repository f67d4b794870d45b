import { expect } from '@jest/globals';
import { describeCorpus, textWith, type CorpusCase } from '../../testing/corpus.ts';
import { APPLICATION_ID, batchWith } from '../../testing/test-gateway.ts';

const messages = batchWith().messages;
const [action] = messages;
const user = { type: 'user', id: 'm1', time: 1_700_000_000_000 };
const businessEvent = { ...action, type: 'businessEvent' };
const revenue = { ...action, type: 'revenue', revenue: 1, currency: 'EUR' };
const UUID = '0199a5c0-0000-7000-8000-000000000001';

const rejected = (name: string, body: unknown, ...errors: readonly string[]): CorpusCase => ({
  name,
  body,
  status: 400,
  code: 'validation_failed',
  errors,
});
const UUID_OF_ZEROS = '00000000-0000-0000-0000-000000000000';
const accepted = (name: string, body: unknown, ...warnings: readonly string[]): CorpusCase => ({
  name,
  body,
  status: 200,
  warnings,
});

describeCorpus('messages', ({ cases }) => {
  cases([
    rejected('messages missing', { customUserId: 'u1' }, '/messages required'),
    rejected(
      'messages null',
      { customUserId: 'u1', messages: null },
      '/messages wrong_type: array',
    ),
    rejected('messages {}', { customUserId: 'u1', messages: {} }, '/messages wrong_type'),
    rejected(
      'messages a string',
      { customUserId: 'u1', messages: 'canary' },
      '/messages wrong_type',
    ),
    rejected(
      'messages []',
      { customUserId: 'u1', messages: [] },
      '/messages empty: at least 1 item',
    ),
    rejected(
      '1,001 messages',
      { customUserId: 'u1', messages: Array.from({ length: 1_001 }, () => action) },
      '/messages too_many: at most 1000 items',
    ),
    rejected(
      '1,001 messages that are none',
      { customUserId: 'u1', messages: Array.from({ length: 1_001 }, () => 5) },
      '/messages too_many',
    ),
    rejected(
      'messages in a nested array',
      { customUserId: 'u1', messages: [messages] },
      '/messages/0 wrong_type',
    ),
    rejected(
      'sparse nulls',
      { customUserId: 'u1', messages: [null, action, null] },
      '/messages/0 wrong_type',
      '/messages/2 wrong_type',
    ),
    rejected(
      'a message that is null',
      { customUserId: 'u1', messages: [null] },
      '/messages/0 wrong_type: object',
    ),
    rejected(
      'a message that is a number',
      { customUserId: 'u1', messages: [5] },
      '/messages/0 wrong_type',
    ),
    rejected(
      'a message that is a string',
      { customUserId: 'u1', messages: ['canary'] },
      '/messages/0 wrong_type',
    ),
    rejected(
      'a message that is an array',
      { customUserId: 'u1', messages: [[]] },
      '/messages/0 wrong_type',
    ),
    rejected(
      'a message that is true',
      { customUserId: 'u1', messages: [true] },
      '/messages/0 wrong_type',
    ),
    rejected(
      'a message of nothing',
      { customUserId: 'u1', messages: [{}] },
      '/messages/0/type required',
      '/messages/0/id required',
      '/messages/0/time required',
    ),
    accepted('1,000 messages', {
      customUserId: 'u1',
      messages: Array.from({ length: 1_000 }, (_, index) => ({ ...action, id: `m${index}` })),
    }),
    accepted('mixed 4 types', {
      customUserId: 'u1',
      messages: [user, action, revenue, businessEvent],
    }),
    accepted('mixed 3 types of a serviceUserId', {
      serviceUserId: UUID,
      messages: [user, action, revenue],
    }),
    accepted(
      'messages twice, of which the last counts',
      `{"messages":5,"customUserId":"u1","messages":${JSON.stringify(messages)}}`,
    ),
    rejected(
      'messages twice, the last of which is none',
      `{"messages":${JSON.stringify(messages)},"customUserId":"u1","messages":5}`,
      '/messages wrong_type',
    ),
    accepted(
      'a name in escapes',
      `{"customUserId":"u1","\\u006dessages":${JSON.stringify(messages)}}`,
    ),
    accepted('unknown top-level field', { ...batchWith(), extra: 'x' }, '/extra unknown_field'),
    accepted(
      'unknown top-level field with an object',
      { ...batchWith(), 'a/b~c': { deep: [1, { x: null }] } },
      '/a~1b~0c unknown_field',
    ),
    accepted(
      'unknown top-level field __proto__',
      `{"__proto__":{"customUserId":"u2","messages":5},"customUserId":"u1","messages":${JSON.stringify(messages)}}`,
      '/__proto__ unknown_field',
    ),
    accepted(
      'unknown top-level field constructor',
      `{"constructor":{"prototype":{}},"customUserId":"u1","messages":${JSON.stringify(messages)}}`,
      '/constructor unknown_field',
    ),
    rejected(
      'no own fields, only those of __proto__',
      `{"__proto__":{"customUserId":"u1","messages":${JSON.stringify(messages)}}}`,
      '/messages required',
    ),
    rejected(
      'NUL in an unknown top-level field',
      `{"customUserId":"u1","x":"\\u0000","messages":${JSON.stringify(messages)}}`,
      '/x nul_not_allowed',
    ),
  ]);
});

const withUser = (customUserId: unknown) => ({ customUserId, messages });
const MISSING = '/customUserId required';

describeCorpus('customUserId', ({ cases, check }) => {
  cases([
    rejected('missing for action', { messages }, `${MISSING}: customUserId or serviceUserId`),
    rejected('missing for revenue', { messages: [revenue] }, MISSING),
    rejected('missing for user', { messages: [user] }, MISSING),
    rejected('missing for one of a mixed batch', { messages: [businessEvent, action] }, MISSING),
    rejected(
      'null, and serviceUserId null',
      { customUserId: null, serviceUserId: null, messages },
      MISSING,
    ),
    accepted('both missing for businessEvent', { messages: [businessEvent] }),
    accepted('both null for businessEvent', {
      customUserId: null,
      serviceUserId: null,
      messages: [businessEvent],
    }),
    rejected('number', withUser(5), '/customUserId wrong_type: string or null'),
    rejected('bool', withUser(true), '/customUserId wrong_type'),
    rejected('object', withUser({ canary: 'canary' }), '/customUserId wrong_type'),
    rejected('array', withUser(['canary']), '/customUserId wrong_type'),
    rejected(
      'a number that no double holds',
      `{"customUserId":1e400,"messages":${JSON.stringify(messages)}}`,
      '/customUserId wrong_type',
    ),
    rejected(
      'a number, for a businessEvent that needs none',
      { customUserId: 5, messages: [businessEvent] },
      '/customUserId wrong_type',
    ),
    ...[
      '',
      ' ',
      'null',
      'undefined',
      'NaN',
      'None',
      '[object Object]',
      '0',
      '-1',
      UUID_OF_ZEROS,
    ].map((id) =>
      accepted(
        `${JSON.stringify(id)}, warned about`,
        withUser(id),
        '/customUserId suspicious_user_id',
      ),
    ),
    ...['1', 'nullam', 'u0'].map((id) => accepted(`${id}, an id`, withUser(id))),
    accepted('spaces around it', withUser(' u1 ')),
    accepted('256 chars', withUser('u'.repeat(256))),
    accepted('256 chars of two bytes', withUser('é'.repeat(256))),
    accepted('256 emoji, 1,024 bytes', withUser('😀'.repeat(256))),
    rejected(
      '257 chars',
      withUser('u'.repeat(257)),
      '/customUserId too_long: at most 256 characters',
    ),
    rejected('257 emoji', withUser('😀'.repeat(257)), '/customUserId too_long'),
    rejected('1,025 bytes', withUser('u'.repeat(1_025)), '/customUserId too_long'),
    accepted('emoji', withUser('👩‍👩‍👧‍👦')),
    accepted('RTL', withUser('\u202eمستخدم')),
    accepted('__proto__', withUser('__proto__')),
    rejected(
      'NUL',
      textWith('', String.raw`"customUserId":"a\u0000b"`),
      '/customUserId nul_not_allowed',
    ),
    rejected(
      'lone surrogate, the first half',
      textWith('', String.raw`"customUserId":"a\ud83d"`),
      '/customUserId invalid_value',
    ),
    rejected(
      'lone surrogate, the second half',
      textWith('', String.raw`"customUserId":"\uDE00a"`),
      '/customUserId invalid_value',
    ),
    accepted('a pair in escapes', textWith('', String.raw`"customUserId":"\ud83d\ude00"`)),
    accepted(
      'twice, of which the last counts',
      textWith('', '"customUserId":5,"customUserId":"u1"'),
    ),
  ]);

  check('NFC and NFD are two users', async (gateway) => {
    const [nfc, nfd] = ['é'.normalize('NFC'), 'é'.normalize('NFD')];

    await gateway.post(withUser(nfc));
    await gateway.post(withUser(nfd));

    expect(gateway.records.slice(-2).map(({ key }) => key)).toEqual([
      `${APPLICATION_ID}:${nfc}`,
      `${APPLICATION_ID}:${nfd}`,
    ]);
    expect(nfc).not.toBe(nfd);
  });

  check('case and spaces tell users apart', async (gateway) => {
    for (const id of ['ada', 'Ada', ' ada']) await gateway.post(withUser(id));

    expect(gateway.records.slice(-3).map(({ key }) => key)).toEqual(
      ['ada', 'Ada', ' ada'].map((id) => `${APPLICATION_ID}:${id}`),
    );
  });
});

const withService = (serviceUserId: unknown, customUserId: string | null = null) => ({
  customUserId,
  serviceUserId,
  messages,
});

describeCorpus('serviceUserId', ({ cases, check }) => {
  cases([
    accepted('alone', withService(UUID)),
    accepted('not UUID, dropped later', withService('canary')),
    accepted('empty, dropped later', withService('')),
    accepted('uppercase', withService(UUID.toUpperCase())),
    accepted('braces, dropped later', withService(`{${UUID}}`)),
    accepted(
      'nil UUID, warned about',
      withService(UUID_OF_ZEROS),
      '/serviceUserId suspicious_user_id',
    ),
    accepted(
      'max UUID, warned about',
      withService('FFFFFFFF-ffff-ffff-ffff-ffffffffffff'),
      '/serviceUserId suspicious_user_id',
    ),
    accepted(
      'beside a customUserId that it may not belong to: decided when it is stored',
      withService(UUID, 'another user'),
    ),
    accepted('null beside a customUserId', withService(null, 'u1')),
    rejected('number', withService(5, 'u1'), '/serviceUserId wrong_type: string or null'),
    rejected('object', withService({}, 'u1'), '/serviceUserId wrong_type'),
    rejected('true', withService(true), '/serviceUserId wrong_type'),
    rejected(
      'NUL',
      textWith('', String.raw`"serviceUserId":"\u0000"`),
      '/serviceUserId nul_not_allowed',
    ),
    rejected(
      'lone surrogate',
      textWith('', String.raw`"serviceUserId":"\udc00"`),
      '/serviceUserId invalid_value',
    ),
  ]);

  check('in capitals is the same user', async (gateway) => {
    await gateway.post(withService(UUID.toUpperCase()));

    expect(gateway.records.at(-1)?.key).toBe(`${APPLICATION_ID}:${UUID}`);
  });
});
