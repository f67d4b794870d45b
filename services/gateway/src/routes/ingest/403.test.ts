import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createWrongKeys } from '@tidings/access';
import { createFakeClock } from '@tidings/testing';
import {
  APPLICATION_ID,
  CLIENT_HEADERS,
  OTHER_APPLICATION_ID,
  OTHER_KEY,
  SERVER_HEADERS,
  SERVER_KEY,
  batchWith,
  startTestGateway,
  stopAfterRefusals,
  type TestGateway,
} from '../../testing/test-gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => stopAfterRefusals(gateway));

const headersWith = (applicationId?: string, key?: string) => ({
  'Content-Type': 'application/json',
  ...(applicationId === undefined ? {} : { 'X-Application-Id': applicationId }),
  ...(key === undefined ? {} : { 'X-API-Key': key }),
});
const WRONG = headersWith(APPLICATION_ID, 'sk_wrong');

describe('whatever is wrong with the credentials, the answer is the same', () => {
  const answers = new Set<string>();

  test.each([
    ['no headers', headersWith()],
    ['no key', headersWith(APPLICATION_ID)],
    ['no application', headersWith(undefined, SERVER_KEY)],
    ['an empty key', headersWith(APPLICATION_ID, '')],
    ['a wrong key', WRONG],
    ['a key in another case', headersWith(APPLICATION_ID, SERVER_KEY.toUpperCase())],
    ['the key of another application', headersWith(APPLICATION_ID, OTHER_KEY)],
    ['another application', headersWith(OTHER_APPLICATION_ID, SERVER_KEY)],
    ['an application nobody has', headersWith('0199a5c0-0000-7000-8000-00000000000f', SERVER_KEY)],
    ['an application that is no UUID', headersWith('app', SERVER_KEY)],
    ['an application with quotes', headersWith(`'${APPLICATION_ID}'`, SERVER_KEY)],
    ['a key of 10 KB', headersWith(APPLICATION_ID, 'k'.repeat(10_000))],
    ['a key that is not ASCII', headersWith(APPLICATION_ID, 'schlüssel')],
    ['two keys', headersWith(APPLICATION_ID, `${SERVER_KEY}, ${SERVER_KEY}`)],
    ['two applications', headersWith(`${APPLICATION_ID}, ${APPLICATION_ID}`, SERVER_KEY)],
    ['a key with spaces inside', headersWith(APPLICATION_ID, 'sk_ server')],
    ['a key with a character that Latin-1 has', headersWith(APPLICATION_ID, `${SERVER_KEY}\u00e9`)],
    ['a key of __proto__', headersWith('__proto__', '__proto__')],
    [
      'a key in Authorization',
      { ...headersWith(APPLICATION_ID), Authorization: `Bearer ${SERVER_KEY}` },
    ],
  ])('%s', async (_what, headers) => {
    const {
      status,
      headers: answered,
      text,
      problem,
    } = await gateway.post(batchWith(), { headers });

    expect(status).toBe(403);
    expect(problem.code).toBe('forbidden');
    expect(answered.get('WWW-Authenticate')).toBeNull();
    const named = [...answered]
      .filter(([name]) => name !== 'date')
      .map((header) => header.join(': '));
    answers.add([...named, text].join('\n').replaceAll(problem.requestId, 'ID'));
    expect(answers.size).toBe(1);
  });

  test('the application id may be written in capitals', async () => {
    const { status } = await gateway.post('', {
      headers: headersWith(APPLICATION_ID.toUpperCase(), SERVER_KEY),
    });

    expect(status).toBe(400);
  });
});

describe('credentials are decided before the body is read', () => {
  test.each([
    ['broken JSON', '{', WRONG],
    ['another content type', 'x', { ...WRONG, 'Content-Type': 'text/plain' }],
    ['another encoding', 'x', { ...WRONG, 'Content-Encoding': 'zstd' }],
    ['a body that is too large', 'x'.repeat(9 * 1024 * 1024), WRONG],
    ['nothing', '', WRONG],
  ])('a wrong key with %s is 403', async (_what, body, headers) => {
    expect((await gateway.post(body, { headers })).status).toBe(403);
  });

  test.each([
    ['by its length', { 'Content-Length': '1000' }],
    ['in chunks', { 'Transfer-Encoding': 'chunked' }],
    ['on demand', { 'Content-Length': '1000', Expect: '100-continue' }],
  ])('a body that is announced %s and withheld is not waited for', async (_how, announced) => {
    const call = request(gateway.url, { method: 'POST', headers: { ...WRONG, ...announced } });
    call.on('error', () => undefined);
    call.flushHeaders();

    const [response] = (await once(call, 'response')) as [IncomingMessage];

    expect(response.statusCode).toBe(403);
    expect(JSON.parse(await readText(response))).toMatchObject({ code: 'forbidden' });
    call.destroy();
  });
});

describe('a Client key', () => {
  test('may not send a businessEvent, and then nothing of the batch is taken', async () => {
    const { messages } = batchWith();

    const { status, problem } = await gateway.post(
      {
        customUserId: 'u1',
        messages: [...messages, { ...messages[0], id: 'm2', type: 'businessEvent' }],
      },
      { headers: CLIENT_HEADERS },
    );

    expect([status, problem.code]).toEqual([403, 'client_key_forbidden']);
  });

  test('with a businessEvent that is not valid is told so first', async () => {
    const { status } = await gateway.post(batchWith({ type: 'businessEvent', time: 'x' }), {
      headers: CLIENT_HEADERS,
    });

    expect(status).toBe(400);
  });
});

describe('somebody who guesses keys', () => {
  const guess = (subject: TestGateway) => subject.post(batchWith(), { headers: WRONG });

  test('waits for the same answer, while right keys from his address are answered at once', async () => {
    const DELAY_MS = 300;
    await using slow = await startTestGateway({
      wrongKeys: createWrongKeys({ clock: createFakeClock(), freeMax: 2, delayMs: DELAY_MS }),
    });
    const [first] = [await guess(slow), await guess(slow)];
    const startedAt = performance.now();
    const guesses = Promise.all([guess(slow), guess(slow)]);

    expect((await slow.post('{', { headers: SERVER_HEADERS })).status).toBe(400);
    expect(performance.now() - startedAt).toBeLessThan(DELAY_MS);
    for (const late of await guesses) {
      expect(performance.now() - startedAt).toBeGreaterThanOrEqual(DELAY_MS - 2);
      expect([late.status, late.text.replace(late.problem.requestId, '')]).toEqual([
        403,
        first.text.replace(first.problem.requestId, ''),
      ]);
    }
  });

  test('is not known by his address when he says another one', async () => {
    await using slow = await startTestGateway({
      wrongKeys: createWrongKeys({ clock: createFakeClock(), freeMax: 1, delayMs: 100 }),
    });
    await guess(slow);
    const startedAt = performance.now();

    await slow.post(batchWith(), { headers: { ...WRONG, 'X-Forwarded-For': '203.0.113.5' } });

    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(98);
  });
});

describe('the use of a key', () => {
  test('is noted when the key was right, whatever becomes of the request', async () => {
    await using subject = await startTestGateway();

    await subject.post('{');
    await subject.post(batchWith(), { headers: WRONG });
    await subject.post(batchWith({ type: 'businessEvent' }), { headers: CLIENT_HEADERS });

    expect(subject.usedKeys).toHaveLength(2);
    expect(new Set(subject.usedKeys).size).toBe(2);
  });
});

test('a right key is not forbidden', async () => {
  expect((await gateway.post('{', { headers: SERVER_HEADERS })).status).toBe(400);
});
