import { once } from 'node:events';
import { request } from 'node:http';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { BusUnavailableError, createGroupCommit } from '@tidings/bus';
import { LIMITS } from '@tidings/contracts/limits';
import { createAdmission } from '@tidings/http/admission';
import { metricsRegistry, type LoopLag } from '@tidings/platform';
import { createFakeClock, eventually } from '@tidings/testing';
import {
  APPLICATION_ID,
  INGEST_DEADLINE_MS,
  OTHER_APPLICATION_ID,
  OTHER_KEY,
  SERVER_HEADERS,
  batchWith,
  grantWith,
  startTestGateway,
  type Answer,
} from '../../testing/test-gateway.ts';

function expectUnavailable({ status, headers, problem }: Answer): void {
  expect([status, problem.code]).toEqual([503, 'unavailable']);
  expect(Number(headers.get('Retry-After'))).toBeGreaterThanOrEqual(1);
  expect(Number(headers.get('Retry-After'))).toBeLessThanOrEqual(5);
}

describe('the bus', () => {
  test('that cannot confirm the record is 503 with Retry-After, without the reason', async () => {
    await using gateway = await startTestGateway({
      append: () => Promise.reject(new BusUnavailableError('canary broker at 10.0.0.1')),
    });

    const answer = await gateway.post(batchWith());

    expectUnavailable(answer);
    expect(answer.text).not.toContain('canary');
  });

  test('that cannot confirm it is 503 for a lenient caller too, and nothing is listed as rejected', async () => {
    await using gateway = await startTestGateway({
      append: () => Promise.reject(new BusUnavailableError('canary')),
    });
    const [message] = batchWith().messages;

    expectUnavailable(
      await gateway.post(
        { customUserId: 'u1', messages: [{ ...message, time: 'x' }, message] },
        { headers: { ...SERVER_HEADERS, Prefer: 'handling=lenient' } },
      ),
    );
    expect(gateway.rejections).toEqual([]);
  });

  test('that never answers is 503 at the deadline', async () => {
    const hanging = createGroupCommit({ produce: () => new Promise(() => undefined) } as never, {
      topic: 'test',
      recordsMax: 10,
      bytesMax: 1_000,
      deadlineMs: 30,
    });
    await using gateway = await startTestGateway({ append: (record) => hanging.append(record) });

    expectUnavailable(await gateway.post(batchWith()));
  });

  test('is not asked for a batch that is not valid', async () => {
    let calls = 0;
    await using gateway = await startTestGateway({
      append: async () => {
        calls += 1;
      },
    });

    await gateway.post(batchWith({ time: 'x' }));

    expect(calls).toBe(0);
  });

  test('that fails with a bug is 500 without details', async () => {
    await using gateway = await startTestGateway({
      append: () => Promise.reject(new Error('canary')),
    });

    const { status, text, problem } = await gateway.post(batchWith());

    expect([status, problem.code]).toEqual([500, 'internal']);
    expect(text).not.toContain('canary');
    expect(gateway.logLines).toEqual([
      expect.objectContaining({ level: 'error', requestId: problem.requestId }),
    ]);
  });
});

describe('the deadline', () => {
  const deadlines = (lag: Partial<LoopLag>) => {
    const given: number[] = [];
    const clock = createFakeClock();
    const gateway = startTestGateway({
      clock,
      lag: {
        lastMs: () => 0,
        sustainedMs: () => 0,
        totalMs: () => 0,
        stop: () => undefined,
        ...lag,
      },
      append: async (_record, deadlineMs) => void given.push(deadlineMs ?? NaN),
    });
    return { gateway, clock, given };
  };

  test('is complete for a request that was handled at once', async () => {
    const { gateway, given } = deadlines({});
    await using running = await gateway;

    await running.post(batchWith());

    expect(given).toEqual([INGEST_DEADLINE_MS]);
  });

  test('counts from the arrival: what the process was late before it saw the request, and while it read the body, is gone', async () => {
    let total = 0;
    const { gateway, given } = deadlines({ lastMs: () => 1_000, totalMs: () => (total += 250) });
    await using running = await gateway;

    await running.post(batchWith());

    expect(given).toEqual([INGEST_DEADLINE_MS - 1_000 - 250]);
  });

  test('does not count the time that the caller takes to send the body', async () => {
    const { gateway, clock, given } = deadlines({});
    await using running = await gateway;
    const body = JSON.stringify(batchWith());
    const call = request(running.url, {
      method: 'POST',
      headers: { ...SERVER_HEADERS, 'Content-Length': body.length },
    });
    const answered = once(call, 'response') as Promise<
      [{ readonly statusCode: number; resume(): void }]
    >;
    call.write(body.slice(0, 10));
    await eventually(() => expect(running.usedKeys).toHaveLength(1));
    clock.advance(20_000);
    call.end(body.slice(10));

    const [response] = await answered;

    response.resume();
    expect([response.statusCode, ...given]).toEqual([200, INGEST_DEADLINE_MS]);
  });

  test('that has passed before Kafka is asked is 503, and Kafka is not asked', async () => {
    let calls = 0;
    const commit = createGroupCommit({ produce: async () => void (calls += 1) } as never, {
      topic: 'test',
      recordsMax: 10,
      bytesMax: 1_000,
      deadlineMs: 8_000,
    });
    await using gateway = await startTestGateway({
      lag: { lastMs: () => 9_000, sustainedMs: () => 0, totalMs: () => 0, stop: () => undefined },
      append: (record, deadlineMs) => commit.append(record, deadlineMs),
    });

    expectUnavailable(await gateway.post(batchWith()));
    expect(calls).toBe(0);
  });
});

describe('a process that cannot keep up', () => {
  test('rejects what comes, before its body, until it keeps up again; an answer to a wrong key stays 403', async () => {
    let sustainedMs = 1_001;
    const admission = createAdmission({
      path: 'ingest',
      bytesMax: 1024 * 1024,
      requestsMax: 10,
      lag: { sustainedMs: () => sustainedMs },
      lagMsMax: 1_000,
    });
    await using gateway = await startTestGateway({ admissions: { ingest: admission } });

    expectUnavailable(await gateway.post('{{'));
    expect(
      (await gateway.post('{', { headers: { ...SERVER_HEADERS, 'X-API-Key': 'wrong' } })).status,
    ).toBe(403);
    sustainedMs = 1_000;
    expect((await gateway.post(batchWith())).status).toBe(200);
  });
});

describe('the key store', () => {
  test('that is unavailable is 503 for a key outside the cache, never 403; a cached key is served', async () => {
    let isAway = false;
    const findKeyGrant = async () => {
      if (isAway) throw new Error('canary');
      return grantWith(APPLICATION_ID, 'server');
    };
    await using gateway = await startTestGateway({ findKeyGrant });
    await gateway.post(batchWith());

    isAway = true;

    const answer = await gateway.post('{', {
      headers: { ...SERVER_HEADERS, 'X-API-Key': 'sk_another' },
    });
    expectUnavailable(answer);
    expect(answer.text).not.toContain('canary');
    expect((await gateway.post(batchWith())).status).toBe(200);
  });
});

describe('admission', () => {
  test('a body of unknown size that might not fit is rejected before it is read', async () => {
    await using gateway = await startTestGateway({
      admissions: {
        ingest: createAdmission({ path: 'ingest', bytesMax: 1024 * 1024 - 1, requestsMax: 10 }),
      },
    });
    const call = request(gateway.url, {
      method: 'POST',
      headers: { ...SERVER_HEADERS, 'Transfer-Encoding': 'chunked' },
    });
    call.on('error', () => undefined);
    call.flushHeaders();

    const [response] = (await once(call, 'response')) as [
      { readonly statusCode: number; resume(): void },
    ];

    expect(response.statusCode).toBe(503);
    response.resume();
    call.destroy();
    expect((await gateway.post(batchWith())).status).toBe(200);
  });

  test('comes after the credentials and before everything about the body', async () => {
    await using gateway = await startTestGateway({
      admissions: { ingest: createAdmission({ path: 'ingest', bytesMax: 1, requestsMax: 10 }) },
    });

    expectUnavailable(
      await gateway.post('{{', { headers: { ...SERVER_HEADERS, 'Content-Type': 'text/plain' } }),
    );
    expect(
      (await gateway.post('{', { headers: { ...SERVER_HEADERS, 'X-API-Key': 'wrong' } })).status,
    ).toBe(403);
  });

  test('memory is released after every response', async () => {
    await using gateway = await startTestGateway({
      admissions: { ingest: createAdmission({ path: 'ingest', bytesMax: 10_000, requestsMax: 1 }) },
    });

    const statuses = [];
    for (const body of [batchWith(), '{', batchWith({ time: 'x' }), batchWith()])
      statuses.push((await gateway.post(body)).status);

    expect(statuses).toEqual([200, 400, 400, 200]);
  });

  test('a disconnected caller does not release the memory of a record in flight', async () => {
    const held: (() => void)[] = [];
    await using gateway = await startTestGateway({
      append: () =>
        held.length > 0 ? Promise.resolve() : new Promise((resolve) => held.push(resolve)),
      admissions: {
        ingest: createAdmission({ path: 'ingest', bytesMax: 1024 * 1024, requestsMax: 1 }),
      },
    });
    const call = request(gateway.url, { method: 'POST', headers: SERVER_HEADERS });
    const closed = new Promise((resolve) => call.on('error', () => undefined).on('close', resolve));
    call.end(JSON.stringify(batchWith()));
    await eventually(() => expect(held).toHaveLength(1));

    call.destroy();
    await closed;
    // Long enough for the gateway to notice: several round trips on other connections.
    const rejected = [
      await gateway.post(batchWith()),
      await gateway.post(batchWith()),
      await gateway.post(batchWith()),
    ];
    held[0]?.();

    rejected.forEach(expectUnavailable);
    await eventually(async () => expect((await gateway.post(batchWith())).status).toBe(200));
  });

  test('a compressed body reserves only its decompressed size once it is read', async () => {
    const held: (() => void)[] = [];
    await using gateway = await startTestGateway({
      append: () =>
        held.length > 0 ? Promise.resolve() : new Promise((resolve) => held.push(resolve)),
      admissions: {
        ingest: createAdmission({
          path: 'ingest',
          bytesMax: 2 * LIMITS.ingestBodyBytesMax + 10_000,
          requestsMax: 10,
        }),
      },
    });
    const post = () =>
      gateway.post(gzipSync(JSON.stringify(batchWith())), {
        headers: { ...SERVER_HEADERS, 'Content-Encoding': 'gzip' },
      });

    const first = post();
    await eventually(() => expect(held).toHaveLength(1));
    const second = await post();
    held[0]?.();

    expect(second.status).toBe(200);
    expect((await first).status).toBe(200);
  });

  test('an aborted body releases its memory', async () => {
    await using gateway = await startTestGateway({
      admissions: {
        ingest: createAdmission({ path: 'ingest', bytesMax: 1024 * 1024, requestsMax: 1 }),
      },
    });
    const call = request(gateway.url, {
      method: 'POST',
      headers: { ...SERVER_HEADERS, 'Content-Length': '1000' },
    });
    call.on('error', () => undefined);
    call.write('{');
    await eventually(async () => expect((await gateway.post('{}')).status).toBe(503));

    call.destroy();

    await eventually(async () => expect((await gateway.post('{}')).status).toBe(400));
    expect(gateway.logLines).toEqual([]);
  });
});

test('a request without admission waits, and no other one does', async () => {
  const held: (() => void)[] = [];
  await using gateway = await startTestGateway({
    append: () =>
      held.length > 0 ? Promise.resolve() : new Promise((resolve) => held.push(resolve)),
    admissions: {
      ingest: createAdmission({
        path: 'ingest',
        bytesMax: 1_000_000,
        requestsMax: 1,
        waitMsMax: 60_000,
      }),
    },
  });
  const inside = gateway.post(batchWith());
  await eventually(() => expect(held).toHaveLength(1));
  let isAnswered = false;
  const waiting = gateway.post(batchWith()).finally(() => {
    isAnswered = true;
  });

  const forbidden = await gateway.post(batchWith(), {
    headers: { ...SERVER_HEADERS, 'X-API-Key': 'sk_nobodys' },
  });
  const wasAnswered = isAnswered;
  held[0]?.();

  expect(forbidden.status).toBe(403);
  expect(wasAnswered).toBe(false);
  expect([(await inside).status, (await waiting).status]).toEqual([200, 200]);
});

test('the wait in line counts towards the deadline of the batch', async () => {
  const held: (() => void)[] = [];
  const deadlines: (number | undefined)[] = [];
  await using gateway = await startTestGateway({
    append: (_record, deadlineMs) => {
      deadlines.push(deadlineMs);
      return held.length > 0 ? Promise.resolve() : new Promise((resolve) => held.push(resolve));
    },
    admissions: {
      ingest: createAdmission({
        path: 'ingest',
        bytesMax: 1_000_000,
        requestsMax: 1,
        waitMsMax: 60_000,
      }),
    },
  });
  const inside = gateway.post(batchWith());
  await eventually(() => expect(held).toHaveLength(1));
  const waiting = gateway.post(batchWith());
  await eventually(async () => expect(await waitingRequests()).toBe(1));

  gateway.clock.advance(2_500);
  held[0]?.();

  expect([(await inside).status, (await waiting).status]).toEqual([200, 200]);
  expect(deadlines[1]).toBe(INGEST_DEADLINE_MS - 2_500);
});

test('callers that send nothing of their bodies shut out neither another application nor, for long, their own', async () => {
  await using gateway = await startTestGateway({
    admissions: {
      ingest: createAdmission({
        path: 'ingest',
        bytesMax: 4 * 1024 * 1024,
        requestsMax: 4,
        waitMsMax: 60_000,
      }),
    },
  });
  const silent = Array.from({ length: 20 }, () => {
    const call = request(gateway.url, {
      method: 'POST',
      headers: { ...SERVER_HEADERS, 'Content-Length': '1000' },
    });
    call.on('error', () => undefined);
    call.flushHeaders();
    return call;
  });
  await eventually(async () => expect(await waitingRequests()).toBeGreaterThan(0));

  const theirs = await gateway.post(batchWith(), {
    headers: {
      ...SERVER_HEADERS,
      'X-Application-Id': OTHER_APPLICATION_ID,
      'X-API-Key': OTHER_KEY,
    },
  });
  const ours = await gateway.post(batchWith());
  for (const call of silent) call.destroy();

  expect([theirs.status, ours.status]).toEqual([200, 200]);
});

async function waitingRequests(): Promise<number> {
  const { values = [] } =
    (await metricsRegistry.getSingleMetric('tidings_waiting_requests')?.get()) ?? {};
  return values.find(({ labels }) => labels['path'] === 'ingest')?.value ?? 0;
}
