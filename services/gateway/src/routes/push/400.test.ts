import { afterAll, beforeAll, expect, test } from '@jest/globals';
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
