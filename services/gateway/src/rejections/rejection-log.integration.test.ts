import { afterAll, expect, test } from '@jest/globals';
import { listIngestLog } from '@tidings/events/ingest-log/ingest-log';
import { readUserFilter } from '@tidings/events/ingest-log/user-filter';
import { insertRejectedRequests } from '@tidings/events/rejected-requests';
import {
  connectPublicTestDatabase,
  connectTestDatabase,
  createFakeClock,
  createRecordingLogger,
  createTestApplication,
} from '@tidings/testing';
import { SERVER_HEADERS, grantWith, startTestGateway } from '../testing/test-gateway.ts';
import { createRejectionLog } from './rejection-log.ts';

const db = connectTestDatabase();
const publicDb = connectPublicTestDatabase();
afterAll(() => Promise.all([db.close(), publicDb.close()]));

async function startListing() {
  const { applicationId } = await createTestApplication(db);
  const { logger, lines } = createRecordingLogger();
  const clock = createFakeClock();
  const log = createRejectionLog({
    insert: (rejections) => insertRejectedRequests(publicDb, rejections),
    clock,
    logger,
    flushIntervalMs: 3_600_000,
  });
  const gateway = await startTestGateway({
    rejectionLog: log,
    findKeyGrant: async () => grantWith(applicationId, 'server'),
  });
  const post = (body: unknown, more: Readonly<Record<string, string>> = {}) =>
    gateway.post(body, {
      headers: { ...SERVER_HEADERS, 'X-Application-Id': applicationId, ...more },
    });
  const entries = async () => {
    await log.flush();
    const { rows } = await db.sql.query<{
      status: number;
      code: string;
      errors: { pointer: string }[];
      unlisted: number;
    }>('select status, code, errors, unlisted from refused_requests where application_id = $1', [
      applicationId,
    ]);
    return rows;
  };
  return {
    applicationId,
    post,
    entries,
    clock,
    lines,
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]();
      await log.stop();
    },
  };
}

test('every rejection is recorded, for any content, and does not lose other entries', async () => {
  await using listing = await startListing();

  await listing.post('{');
  await listing.post(
    String.raw`{"messages":[{"type":"action","id":"m\u0000","time":"x","attributes":{"a\u0000\ud800":{"b":"\u0000"},"\\u0000":1e400}}]}`,
  );
  await listing.post(' '.repeat(1024 * 1024 + 1));
  await listing.post('{"customUserId":"u1","messages":[{},{"type":"user","id":"m","time":1}]}', {
    Prefer: 'handling=lenient',
  });

  const rows = await listing.entries();
  expect(rows.map(({ status, code }) => `${status} ${code}`).toSorted()).toEqual([
    '200 validation_failed',
    '400 invalid_json',
    '400 validation_failed',
    '413 payload_too_large',
  ]);
  const pointers = rows.flatMap(({ errors }) => errors.map(({ pointer }) => pointer));
  expect(pointers).toEqual(
    expect.arrayContaining([
      '/messages/0/attributes/a\ufffd\ufffd/b',
      String.raw`/messages/0/attributes/\u0000`,
    ]),
  );
  expect(listing.lines).toEqual([]);
});

test('a user is found in what was rejected of his, by the id that his callers wrote', async () => {
  await using listing = await startListing();
  const id = `O'Hara "ü😀"\\`;

  await listing.post({ customUserId: id, messages: [{}] });
  await listing.post(
    { customUserId: id, messages: [{}, { type: 'user', id: 'm', time: 1 }] },
    { Prefer: 'handling=lenient' },
  );
  await listing.post({ customUserId: `${id} `, messages: [{}] });
  await listing.entries();

  const userFilter = await readUserFilter(db.sql, listing.applicationId, id);
  const { items } = await listIngestLog(db, {
    applicationId: listing.applicationId,
    limit: 10,
    userFilter,
  });
  expect(
    items.map((entry) => 'status' in entry && [entry.status, entry.customUserId]).toSorted(),
  ).toEqual([
    [200, id],
    [400, id],
  ]);
});

test('a flood becomes 20 entries per second, and the next entry reports the count', async () => {
  await using listing = await startListing();

  await Promise.all(Array.from({ length: 200 }, () => listing.post('{')));

  expect(await listing.entries()).toHaveLength(20);
  listing.clock.advance(1_000);
  await listing.post('{');
  expect(
    (await listing.entries()).map(({ unlisted }) => unlisted).toSorted((a, b) => b - a),
  ).toEqual([180, ...Array.from({ length: 20 }, () => 0)]);
});
