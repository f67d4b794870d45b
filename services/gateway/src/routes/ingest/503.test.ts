import { once } from 'node:events';
import { request } from 'node:http';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { BusUnavailableError, createGroupCommit } from '@tidings/bus';
import { LIMITS } from '@tidings/contracts';
import { eventually } from '@tidings/testing';
import { createAdmission } from '../../admission.ts';
import { SERVER_HEADERS, batchWith, startTestGateway, type Answer } from '../../testing/test-gateway.ts';

function expectUnavailable({ status, headers, problem }: Answer): void {
  expect([status, problem.code]).toEqual([503, 'unavailable']);
  expect(Number(headers.get('Retry-After'))).toBeGreaterThanOrEqual(1);
  expect(Number(headers.get('Retry-After'))).toBeLessThanOrEqual(5);
}

describe('the bus', () => {
  test('that cannot confirm the record is 503 with Retry-After, and says nothing of its reason', async () => {
    await using gateway = await startTestGateway({ append: () => Promise.reject(new BusUnavailableError('canary broker at 10.0.0.1')) });

    const answer = await gateway.post(batchWith());

    expectUnavailable(answer);
    expect(answer.text).not.toContain('canary');
  });

  test('that never answers is 503 at the deadline', async () => {
    const hanging = createGroupCommit({ produce: () => new Promise(() => undefined) } as never, { topic: 'test', recordsMax: 10, bytesMax: 1_000, deadlineMs: 30 });
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

  test('that fails with a bug is 500 and says nothing of it', async () => {
    await using gateway = await startTestGateway({ append: () => Promise.reject(new Error('canary')) });

    const { status, text, problem } = await gateway.post(batchWith());

    expect([status, problem.code]).toEqual([500, 'internal']);
    expect(text).not.toContain('canary');
    expect(gateway.logLines).toEqual([expect.objectContaining({ level: 'error', requestId: problem.requestId })]);
  });
});

describe('the key store', () => {
  test('that is away is 503 for a key nobody has seen, never 403', async () => {
    await using gateway = await startTestGateway({ findKeyGrant: () => Promise.reject(new Error('canary')) });

    const answer = await gateway.post('{');

    expectUnavailable(answer);
    expect(answer.text).not.toContain('canary');
  });
});

describe('admission', () => {
  test('a body of unknown size that might not fit is refused before it is read', async () => {
    await using gateway = await startTestGateway({ admission: createAdmission({ bytesMax: 1024 * 1024 - 1, requestsMax: 10 }) });
    const call = request(gateway.url, { method: 'POST', headers: { ...SERVER_HEADERS, 'Transfer-Encoding': 'chunked' } });
    call.on('error', () => undefined);
    call.flushHeaders();

    const [response] = (await once(call, 'response')) as [{ readonly statusCode: number; resume(): void }];

    expect(response.statusCode).toBe(503);
    response.resume();
    call.destroy();
    expect((await gateway.post(batchWith())).status).toBe(200);
  });

  test('comes after the credentials and before everything about the body', async () => {
    await using gateway = await startTestGateway({ admission: createAdmission({ bytesMax: 1, requestsMax: 10 }) });

    expectUnavailable(await gateway.post('{{', { headers: { ...SERVER_HEADERS, 'Content-Type': 'text/plain' } }));
    expect((await gateway.post('{', { headers: { ...SERVER_HEADERS, 'X-API-Key': 'wrong' } })).status).toBe(403);
  });

  test('room is given back when a request is answered, whatever the answer', async () => {
    await using gateway = await startTestGateway({ admission: createAdmission({ bytesMax: 10_000, requestsMax: 1 }) });

    const statuses = [];
    for (const body of [batchWith(), '{', batchWith({ time: 'x' }), batchWith()]) statuses.push((await gateway.post(body)).status);

    expect(statuses).toEqual([200, 400, 400, 200]);
  });

  test('a caller who goes away does not free the room of the record that is still under way', async () => {
    const held: (() => void)[] = [];
    await using gateway = await startTestGateway({
      append: () => (held.length > 0 ? Promise.resolve() : new Promise((resolve) => held.push(resolve))),
      admission: createAdmission({ bytesMax: 1024 * 1024, requestsMax: 1 }),
    });
    const call = request(gateway.url, { method: 'POST', headers: SERVER_HEADERS });
    const closed = new Promise((resolve) => call.on('error', () => undefined).on('close', resolve));
    call.end(JSON.stringify(batchWith()));
    await eventually(() => expect(held).toHaveLength(1));

    call.destroy();
    await closed;
    // Long enough for the gateway to hear of it: several round trips on other connections.
    const refused = [await gateway.post(batchWith()), await gateway.post(batchWith()), await gateway.post(batchWith())];
    held[0]?.();

    refused.forEach(expectUnavailable);
    await eventually(async () => expect((await gateway.post(batchWith())).status).toBe(200));
  });

  test('a compressed body takes only the room of what came out of it, once it is read', async () => {
    const held: (() => void)[] = [];
    await using gateway = await startTestGateway({
      append: () => (held.length > 0 ? Promise.resolve() : new Promise((resolve) => held.push(resolve))),
      admission: createAdmission({ bytesMax: LIMITS.ingestBodyBytesMax + 10_000, requestsMax: 10 }),
    });
    const post = () => gateway.post(gzipSync(JSON.stringify(batchWith())), { headers: { ...SERVER_HEADERS, 'Content-Encoding': 'gzip' } });

    const first = post();
    await eventually(() => expect(held).toHaveLength(1));
    const second = await post();
    held[0]?.();

    expect(second.status).toBe(200);
    expect((await first).status).toBe(200);
  });

  test('a body that is aborted frees its room', async () => {
    await using gateway = await startTestGateway({ admission: createAdmission({ bytesMax: 1024 * 1024, requestsMax: 1 }) });
    const call = request(gateway.url, { method: 'POST', headers: { ...SERVER_HEADERS, 'Content-Length': '1000' } });
    call.on('error', () => undefined);
    call.write('{');
    await eventually(async () => expect((await gateway.post('{}')).status).toBe(503));

    call.destroy();

    await eventually(async () => expect((await gateway.post('{}')).status).toBe(400));
    expect(gateway.logLines).toEqual([]);
  });
});
