import { request } from 'node:http';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { createAdmission } from '@tidings/platform';
import { eventually } from '@tidings/testing';
import { APPLICATION_ID, CLIENT_HEADERS, SERVER_HEADERS, batchWith, startTestGateway, type TestGateway } from '../testing/test-gateway.ts';

let gateway: TestGateway;
let before = 0;
beforeAll(async () => {
  gateway = await startTestGateway();
});
beforeEach(() => {
  before = gateway.refusals.length;
});
afterAll(() => gateway[Symbol.asyncDispose]());

test.each<[string, unknown, { headers?: Record<string, string>; path?: string }, object]>([
  ['a batch that is not valid', batchWith({ time: 'secret' }), {}, { status: 400, code: 'validation_failed', path: '/', errors: [{ pointer: '/messages/0/time', code: 'wrong_type', expected: 'integer', index: 0, messageId: 'm1' }] }],
  ['a body that is no JSON', '{secret', { path: '/v1/' }, { status: 400, code: 'invalid_json', path: '/v1/', errors: [] }],
  ['a body that is too large', ' '.repeat(1024 * 1024 + 1), {}, { status: 413, code: 'payload_too_large', errors: [] }],
  ['a Client key with a business event', batchWith({ type: 'businessEvent' }), { headers: CLIENT_HEADERS }, { status: 403, code: 'client_key_forbidden', address: null }],
  ['a Client key that pushes', {}, { headers: CLIENT_HEADERS, path: '/push' }, { status: 403, code: 'client_key_forbidden', path: '/push' }],
  ['a push that is not valid', {}, { path: '/v1/push' }, { status: 400, code: 'validation_failed', path: '/v1/push' }],
])('%s is listed with its faults, without its values', async (_what, body, options, expected) => {
  const { headers } = await gateway.post(body, options);

  const [entry, ...more] = gateway.refusals.slice(before);
  expect(more).toEqual([]);
  expect(entry).toMatchObject({ requestId: headers.get('X-Request-Id'), applicationId: APPLICATION_ID, receivedAt: gateway.clock.now(), ...expected });
  expect(JSON.stringify(entry)).not.toContain('secret');
});

test.each<[string, unknown, { headers?: Record<string, string>; path?: string }, number]>([
  ['an accepted batch', batchWith(), {}, 200],
  ['a wrong key', batchWith(), { headers: { ...SERVER_HEADERS, 'X-API-Key': 'wrong' } }, 403],
  ['a type that is not read', batchWith(), { headers: { ...SERVER_HEADERS, 'Content-Type': 'text/plain' } }, 415],
  ['an address where nothing is', batchWith(), { path: '/nothing' }, 404],
])('%s is not listed', async (_what, body, options, status) => {
  expect((await gateway.post(body, options)).status).toBe(status);

  expect(gateway.refusals).toHaveLength(before);
});

test('a caller who goes away in the middle of his body was not refused', async () => {
  await using narrow = await startTestGateway({ admissions: { ingest: createAdmission({ path: 'ingest', bytesMax: 1024 * 1024, requestsMax: 1 }) } });
  const call = request(narrow.url, { method: 'POST', headers: { ...SERVER_HEADERS, 'Content-Length': '100' } });
  call.on('error', () => undefined);
  call.write('{');
  await eventually(async () => expect((await narrow.post('{')).status).toBe(503));

  call.destroy();
  await eventually(async () => expect((await narrow.post('{')).status).toBe(400));

  expect(narrow.refusals).toHaveLength(1);
});
