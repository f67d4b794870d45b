import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  SERVER_HEADERS,
  startTestGateway,
  stopAfterRejections,
  type TestGateway,
} from '../../testing/test-gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => stopAfterRejections(gateway));

const push = (body: unknown) => gateway.post(body, { path: '/push', headers: SERVER_HEADERS });
const message = { body: 'b' };
const email = { recipients: ['u1'], channel: 'EMAIL', message };
const of = (channel: string, fields: Record<string, unknown>) => ({
  recipients: ['u1'],
  channel,
  message: { ...message, ...fields },
});

/** `levels` nested objects as text: JSON.stringify would recurse. */
const nested = (levels: number, inmost = '1') =>
  '{"a":'.repeat(levels) + inmost + '}'.repeat(levels);
const appPushText = (customContent: string) =>
  `{"recipients":["u1"],"channel":"APP_PUSH","message":{"body":"b","customContent":${customContent}}}`;

const keys = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 'x']));

/** The 17th level: below the message and customContent, 15 times `a`. */
const TOO_DEEP = `/message/customContent${'/a'.repeat(15)}`;

describe('a campaign with one fault is rejected with its pointer', () => {
  test.each<[string, unknown, string, string]>([
    ['null', null, '', 'wrong_type'],
    ['an array', [], '', 'wrong_type'],
    ['no recipients', { ...email, recipients: undefined }, '/recipients', 'required'],
    ['recipients empty', { ...email, recipients: [] }, '/recipients', 'empty'],
    ['recipients a text', { ...email, recipients: 'u1' }, '/recipients', 'wrong_type'],
    [
      'a recipient that is a number',
      { ...email, recipients: ['u1', 5] },
      '/recipients/1',
      'wrong_type',
    ],
    ['a recipient that is null', { ...email, recipients: [null] }, '/recipients/0', 'wrong_type'],
    [
      'a recipient of 257 characters',
      { ...email, recipients: ['u'.repeat(257)] },
      '/recipients/0',
      'too_long',
    ],
    [
      'a recipient with NUL',
      String.raw`{"recipients":["\u0000"],"channel":"SMS","message":{"body":"b"}}`,
      '/recipients/0',
      'nul_not_allowed',
    ],
    [
      'a recipient with half a character',
      String.raw`{"recipients":["\ud800"],"channel":"SMS","message":{"body":"b"}}`,
      '/recipients/0',
      'invalid_value',
    ],
    [
      '100,001 recipients',
      { ...email, recipients: Array.from({ length: 100_001 }, () => 'u') },
      '/recipients',
      'too_many',
    ],
    ['no channel', { ...email, channel: undefined }, '/channel', 'required'],
    ['channel in another case', { ...email, channel: 'email' }, '/channel', 'invalid_value'],
    ['channel unknown', { ...email, channel: 'FAX' }, '/channel', 'invalid_value'],
    ['channel __proto__', { ...email, channel: '__proto__' }, '/channel', 'invalid_value'],
    ['no message', { ...email, message: undefined }, '/message', 'required'],
    ['message null', { ...email, message: null }, '/message', 'wrong_type'],
    ['message an array', { ...email, message: [] }, '/message', 'wrong_type'],
    ['message a text', { ...email, message: 'hi' }, '/message', 'wrong_type'],
    ['purpose unknown', { ...email, purpose: 'spam' }, '/purpose', 'invalid_value'],
    ['dryRun a text', { ...email, dryRun: 'true' }, '/dryRun', 'wrong_type'],
    ...['SMS', 'WEB_PUSH', 'APP_PUSH', 'EMAIL', 'WEB_HOOK', 'IN_APP', 'ON_SITE'].flatMap(
      (channel): [string, unknown, string, string][] => [
        [`${channel} without body`, of(channel, { body: undefined }), '/message/body', 'required'],
        [`${channel} with an empty body`, of(channel, { body: '' }), '/message/body', 'empty'],
        [
          `${channel} with a body of null`,
          of(channel, { body: null }),
          '/message/body',
          'required',
        ],
        [
          `${channel} with a body that is a list`,
          of(channel, { body: [] }),
          '/message/body',
          'wrong_type',
        ],
      ],
    ),
    [
      'EMAIL with a body that is an object',
      of('EMAIL', { body: { path: '/etc/passwd' } }),
      '/message/body',
      'wrong_type',
    ],
    [
      'EMAIL with a body over 256 KiB',
      of('EMAIL', { body: 'é'.repeat(128 * 1024 + 1) }),
      '/message/body',
      'too_long',
    ],
    [
      'EMAIL with a title that is a number',
      of('EMAIL', { title: 5 }),
      '/message/title',
      'wrong_type',
    ],
    [
      'SMS of 1,601 characters',
      of('SMS', { body: 'x'.repeat(1_601) }),
      '/message/body',
      'too_long',
    ],
    ['customContent 20,000 levels deep', appPushText(nested(20_000)), TOO_DEEP, 'too_deep'],
    [
      'customContent 20,000 levels deep with half a character',
      appPushText(nested(20_000, String.raw`"\ud800"`)),
      TOO_DEEP,
      'too_deep',
    ],
    ['a message of 17 levels', appPushText(nested(16)), TOO_DEEP, 'too_deep'],
    [
      'a number that no double holds',
      appPushText('{"a":[1,-1e400]}'),
      '/message/customContent/a/1',
      'out_of_range',
    ],
    [
      'SMS with NUL',
      String.raw`{"recipients":["u1"],"channel":"SMS","message":{"body":"\u0000"}}`,
      '/message/body',
      'nul_not_allowed',
    ],
    [
      'WEB_PUSH with a script for a link',
      of('WEB_PUSH', { url: 'javascript:alert(1)' }),
      '/message/url',
      'invalid_value',
    ],
    [
      'WEB_PUSH with a data URL for an icon',
      of('WEB_PUSH', { icon: 'data:text/html,x' }),
      '/message/icon',
      'invalid_value',
    ],
    [
      'WEB_PUSH with images that are no list',
      of('WEB_PUSH', { images: {} }),
      '/message/images',
      'wrong_type',
    ],
    [
      'WEB_PUSH with 11 images',
      of('WEB_PUSH', { images: Array.from({ length: 11 }, () => ({ url: 'https://a' })) }),
      '/message/images',
      'too_many',
    ],
    [
      'WEB_PUSH with an image without url',
      of('WEB_PUSH', { images: [{}] }),
      '/message/images/0/url',
      'required',
    ],
    [
      'WEB_PUSH with a button without label',
      of('WEB_PUSH', { buttons: [{ link: 'https://a' }] }),
      '/message/buttons/0/label',
      'required',
    ],
    [
      'WEB_PUSH with a button without link',
      of('WEB_PUSH', { buttons: [{ label: 'Go' }] }),
      '/message/buttons/0/link',
      'required',
    ],
    ...[
      'javascript:x',
      'JavaScript:x',
      ' javascript:x',
      '\u0001javascript:x',
      'java\nscript:x',
      'j\ta\rv\nascript:x',
      'javascript\t:x',
      'data:x',
      'VBScript:x',
      'file:///etc',
      'intent://x',
    ].map((url): [string, unknown, string, string] => [
      `APP_PUSH with the link ${JSON.stringify(url)}`,
      of('APP_PUSH', { url }),
      '/message/url',
      'invalid_value',
    ]),
    ['APP_PUSH with a negative ttl', of('APP_PUSH', { ttl: -1 }), '/message/ttl', 'out_of_range'],
    ['APP_PUSH with a ttl of 1.5', of('APP_PUSH', { ttl: 1.5 }), '/message/ttl', 'wrong_type'],
    ['APP_PUSH with a ttl of "5"', of('APP_PUSH', { ttl: '5' }), '/message/ttl', 'wrong_type'],
    [
      'APP_PUSH with customContent that is a list',
      of('APP_PUSH', { customContent: [] }),
      '/message/customContent',
      'wrong_type',
    ],
    [
      'IN_APP with another alignment',
      of('IN_APP', { alignment: 'LEFT' }),
      '/message/alignment',
      'invalid_value',
    ],
    [
      'IN_APP with alignment in another case',
      of('IN_APP', { alignment: 'top' }),
      '/message/alignment',
      'invalid_value',
    ],
    [
      'IN_APP with a negative duration',
      of('IN_APP', { duration: -1 }),
      '/message/duration',
      'out_of_range',
    ],
    [
      'IN_APP with an infinite duration',
      '{"recipients":["u1"],"channel":"IN_APP","message":{"body":"b","duration":1e400}}',
      '/message/duration',
      'out_of_range',
    ],
    [
      'APP_PUSH with an infinite ttl',
      '{"recipients":["u1"],"channel":"APP_PUSH","message":{"body":"b","ttl":-1e400}}',
      '/message/ttl',
      'out_of_range',
    ],
    [
      'WEB_HOOK with a header of two lines',
      of('WEB_HOOK', { headers: { 'x-a': 'b\r\nx-b: c' } }),
      '/message/headers/x-a',
      'invalid_value',
    ],
    [
      'WEB_HOOK with a header name of two words',
      of('WEB_HOOK', { headers: { 'x a': 'b' } }),
      '/message/headers',
      'invalid_value',
    ],
    [
      'WEB_HOOK with a content type of two lines',
      of('WEB_HOOK', { contentType: 'a\nb' }),
      '/message/contentType',
      'invalid_value',
    ],
    [
      'WEB_PUSH with a link to no host',
      of('WEB_PUSH', { url: 'https://' }),
      '/message/url',
      'invalid_value',
    ],
    [
      'WEB_HOOK with another method',
      of('WEB_HOOK', { method: 'GET' }),
      '/message/method',
      'invalid_value',
    ],
    [
      'WEB_HOOK with a header that is no text',
      of('WEB_HOOK', { headers: { a: 1 } }),
      '/message/headers/a',
      'wrong_type',
    ],
    [
      'APP_PUSH with 1,001 keys in objects of customContent',
      of('APP_PUSH', { customContent: { a: keys(500), b: keys(499) } }),
      '/message/customContent',
      'too_many',
    ],
    [
      'WEB_HOOK with 1,001 keys in its body',
      of('WEB_HOOK', { body: keys(1_001) }),
      '/message/body',
      'too_many',
    ],
    [
      'WEB_HOOK with 1,001 headers',
      of('WEB_HOOK', { headers: keys(1_001) }),
      '/message/headers',
      'too_many',
    ],
    [
      'a personalised WEB_PUSH with a button of null',
      { ...of('WEB_PUSH', { buttons: [null] }), personalize: true },
      '/message/buttons/0',
      'wrong_type',
    ],
    [
      'a personalised APP_PUSH with an image of null',
      { ...of('APP_PUSH', { images: [null] }), personalize: true },
      '/message/images/0',
      'wrong_type',
    ],
    [
      'WEB_HOOK with another scheme',
      of('WEB_HOOK', { url: 'ftp://a' }),
      '/message/url',
      'invalid_value',
    ],
  ])('%s', async (_what, body, pointer, code) => {
    const { status, problem } = await push(body);

    expect(status).toBe(400);
    expect(problem.code).toBe('validation_failed');
    expect(problem.errors).toEqual([{ pointer, code, expected: expect.stringMatching(/./) }]);
  });
});

test('all faults are named at once, those of the header with them', async () => {
  const { status, problem } = await gateway.post(
    String.raw`{"recipients":["\u0000",5,"\ud800"],"channel":"EMAIL","purpose":"spam","dryRun":1,"message":{"title":5,"body":"${'x'.repeat(256 * 1024 + 1)}"}}`,
    { path: '/push', headers: { ...SERVER_HEADERS, 'Idempotency-Key': 'k'.repeat(129) } },
  );

  expect(status).toBe(400);
  expect(problem.errors?.map(({ pointer, code }) => `${pointer} ${code}`).toSorted()).toEqual([
    ' too_long',
    '/dryRun wrong_type',
    '/message/body too_long',
    '/message/title wrong_type',
    '/purpose invalid_value',
    '/recipients/0 nul_not_allowed',
    '/recipients/1 wrong_type',
    '/recipients/2 invalid_value',
  ]);
  expect(problem.errors?.filter(({ expected }) => expected === undefined)).toEqual([]);
});

test('a message is validated even if its channel is unknown', async () => {
  const { problem } = await push({ recipients: ['u1'], channel: 'FAX', message: { body: null } });

  expect(problem.errors?.map(({ pointer, code }) => `${pointer} ${code}`)).toEqual([
    '/channel invalid_value',
    '/message/body required',
  ]);
});

test('the channels there are are named', async () => {
  const { problem } = await push({ ...email, channel: 'FAX' });

  expect(problem.errors).toEqual([
    {
      pointer: '/channel',
      code: 'invalid_value',
      expected: 'SMS, WEB_PUSH, APP_PUSH, EMAIL, WEB_HOOK, IN_APP, ON_SITE',
    },
  ]);
});

test.each(['', '{', '[1,]', '\ufeff'])('%j is not JSON', async (body) => {
  const { status, problem } = await push(body);

  expect([status, problem.code]).toEqual([400, 'invalid_json']);
});

test('millions of bad recipients are judged soon and answered shortly', async () => {
  const startedAt = performance.now();

  const { status, text } = await push(
    `{"recipients":[${Array.from({ length: 4_000_000 }, () => '1').join(',')}],"channel":"SMS","message":{"body":"b"}}`,
  );

  expect(status).toBe(400);
  expect(text.length).toBeLessThan(32 * 1024);
  expect(performance.now() - startedAt).toBeLessThan(5_000);
});

test('values of the caller are never repeated', async () => {
  const { text } = await push({
    recipients: [{ canary: 1 }],
    channel: 'canary',
    message: 'canary',
    purpose: 'canary',
  });

  expect(text).not.toContain('canary');
});
