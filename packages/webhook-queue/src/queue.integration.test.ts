import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createSecretBox, systemIds } from '@tidings/platform';
import { createOwnDatabase, createTestApplication } from '@tidings/testing';
import {
  changeWebhookEndpoint,
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  readWebhookEndpoint,
  rotateWebhookSecret,
} from './endpoints.ts';
import { queueWebhookPing, readWebhookDelivery, replayWebhookDelivery } from './delivery-log.ts';
import {
  claimWebhooks,
  failWebhooksToDisabled,
  recordWebhookOutcomes,
  rescheduleWebhooksWrittenAhead,
  type ClaimedWebhook,
  type WebhookOutcome,
  type ClaimLimits,
} from './queue.ts';
import { listLaggingEndpoints, readLongestWait } from './backlog.ts';

// Claims select from the whole database.
const db = await createOwnDatabase();
const box = createSecretBox('k'.repeat(32));
afterAll(() => db.close());
beforeEach(() => db.sql.query('truncate webhook_deliveries, webhook_endpoints'));

const DISABLE_AFTER_MS = 5 * 86_400_000;
const ANY: ClaimLimits = { rowsByEndpoint: new Map(), rowsPerOther: 100, rowsMax: 100 };

async function newEndpoint() {
  const { applicationId } = await createTestApplication(db);
  const endpoint = await createWebhookEndpoint(db, box, {
    applicationId,
    url: 'https://hooks.example/',
    description: '',
    kinds: [],
    channels: [],
  });
  if (endpoint === 'too_many') throw new Error('too many endpoints');
  return { applicationId, endpointId: endpoint.id, secret: endpoint.secret };
}
type Endpoint = Awaited<ReturnType<typeof newEndpoint>>;

async function queueEvents(endpoint: Endpoint, count = 1): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) {
    const queued = await queueWebhookPing(db, { ...endpoint, eventId: `evt_${systemIds.uuid()}` });
    if (queued === null || queued === 'disabled') throw new Error('nothing queued');
    ids.push(queued.deliveryId);
  }
  return ids;
}

const claim = (limits: Partial<ClaimLimits> = {}) =>
  claimWebhooks(db, box, { ...ANY, ...limits, leaseMs: 60_000 });
const read = (endpoint: Endpoint, deliveryId: string) =>
  readWebhookDelivery(db, { ...endpoint, deliveryId });
const record = (outcomes: readonly WebhookOutcome[]) =>
  recordWebhookOutcomes(db, outcomes, { disableAfterMs: DISABLE_AFTER_MS });
const outcome = (
  { deliveryId, fence }: ClaimedWebhook,
  fields: Pick<WebhookOutcome, 'outcome'> & Partial<WebhookOutcome>,
): WebhookOutcome => ({
  deliveryId,
  fence,
  ...(fields.outcome !== 'put_off' && { attempt: { at: 1, durationMs: 2, statusCode: 500 } }),
  ...fields,
});
const endLeases = () =>
  db.sql.query(
    "update webhook_deliveries set lease_until = now() - interval '1 s', next_at = now() - interval '1 s' where lease_until is not null",
  );
const makeDue = () =>
  db.sql.query("update webhook_deliveries set next_at = now() where state = 'pending'");

describe('the clock of Postgres was an hour ahead and is put right', () => {
  const writeAhead = () =>
    db.sql
      .query(`update webhook_deliveries set created_at = created_at + interval '1 hour', written_at = written_at + interval '1 hour',
      next_at = next_at + interval '1 hour', lease_until = lease_until + interval '1 hour'`);

  test('what was queued or postponed meanwhile is due at once, and only once; what the correct clock postponed waits', async () => {
    const endpoint = await newEndpoint();
    await queueEvents(endpoint, 2);
    const [first] = await claim({ rowsPerOther: 1 });
    if (!first) throw new Error('not claimed');
    await record([outcome(first, { outcome: 'retry', delayMs: 3_000_000 })]);
    await writeAhead();
    expect(await claim()).toEqual([]);

    expect(await rescheduleWebhooksWrittenAhead(db, 1)).toBe(1);
    expect(await rescheduleWebhooksWrittenAhead(db, 100)).toBe(1);

    const claimed = await claim();
    expect(claimed).toHaveLength(2);
    await record(claimed.map((one) => outcome(one, { outcome: 'retry', delayMs: 3_000_000 })));
    expect(await rescheduleWebhooksWrittenAhead(db, 100)).toBe(0);
    expect(await claim()).toEqual([]);
  });

  test('what is being sent gets a new lease', async () => {
    await queueEvents(await newEndpoint());
    await claim();
    await writeAhead();

    expect(await rescheduleWebhooksWrittenAhead(db, 100)).toBe(1);

    const { rows } = await db.sql.query(
      'select round(extract(epoch from lease_until - now()))::int as lease, next_at = lease_until as is_next from webhook_deliveries',
    );
    expect(rows).toEqual([{ lease: 60, is_next: true }]);
    expect(await claim()).toEqual([]);
    await endLeases();
    expect(await claim()).toHaveLength(1);
  });
});

describe('a claim', () => {
  test('takes a due event once, and again when its lease has expired, with the same event and a new fence', async () => {
    const endpoint = await newEndpoint();
    await queueEvents(endpoint);

    const [first, ...rest] = await claim();
    expect(rest).toEqual([]);
    expect(await claim()).toEqual([]);
    await endLeases();
    const [second] = await claim();

    expect(first).toMatchObject({
      attempts: 0,
      secrets: [endpoint.secret],
      url: 'https://hooks.example/',
    });
    expect(second).toEqual({ ...first, fence: Number(first?.fence) + 1 });
  });

  test('by many processes concurrently assigns each event to one of them', async () => {
    const endpoints = [await newEndpoint(), await newEndpoint(), await newEndpoint()];
    for (const endpoint of endpoints) await queueEvents(endpoint, 20);

    const claimed: ClaimedWebhook[] = [];
    for (let round = 0; round < 10; round += 1)
      claimed.push(
        ...(await Promise.all(Array.from({ length: 6 }, () => claim({ rowsPerOther: 3 })))).flat(),
      );

    expect(claimed).toHaveLength(60);
    expect(new Set(claimed.map(({ deliveryId }) => deliveryId)).size).toBe(60);
  });

  test('takes at most the free slots of each endpoint and of the process, longest due first', async () => {
    const [a, b, c] = [await newEndpoint(), await newEndpoint(), await newEndpoint()];
    for (const endpoint of [a, b, c]) await queueEvents(endpoint, 5);
    const counts = (claimed: readonly ClaimedWebhook[]) =>
      [a, b, c].map(
        ({ endpointId }) => claimed.filter((one) => one.endpointId === endpointId).length,
      );

    expect(
      counts(
        await claim({
          rowsByEndpoint: new Map([
            [a.endpointId, 3],
            [b.endpointId, 0],
          ]),
          rowsPerOther: 2,
        }),
      ),
    ).toEqual([3, 0, 2]);
    expect(counts(await claim({ only: [b.endpointId], rowsPerOther: 1 }))).toEqual([0, 1, 0]);
    expect(counts(await claim({ except: [a.endpointId], rowsMax: 4 }))).toEqual([0, 4, 0]);
  });

  test('skips what is not due, and disabled endpoints', async () => {
    const [a, b] = [await newEndpoint(), await newEndpoint()];
    await queueEvents(a);
    await queueEvents(b);
    await db.sql.query(
      "update webhook_deliveries set next_at = now() + interval '1 hour' where endpoint_id = $1",
      [a.endpointId],
    );
    await changeWebhookEndpoint(db, { ...b, change: { enabled: false } });

    expect(await claim()).toEqual([]);
    expect(await readLongestWait(db)).toBe(0);
    expect(await listLaggingEndpoints(db, { minSeconds: 0, limit: 10 })).toEqual([]);
  });

  test('has no secrets without the key that encrypted them, or with those of another row', async () => {
    const [a, b] = [await newEndpoint(), await newEndpoint()];
    await queueEvents(a);
    await queueEvents(b);
    await db.sql.query(
      'update webhook_endpoints set sealed_secrets = (select sealed_secrets from webhook_endpoints where id = $1) where id = $2',
      [a.endpointId, b.endpointId],
    );

    const other = await claimWebhooks(db, createSecretBox('x'.repeat(32)), {
      ...ANY,
      only: [a.endpointId],
      leaseMs: 1_000,
    });
    const [swapped] = await claim({ only: [b.endpointId] });

    expect(other.map(({ secrets }) => secrets)).toEqual([null]);
    expect(swapped?.secrets).toBeNull();
  });

  test('has both secrets after a rotation, newest first, and one after a day', async () => {
    const endpoint = await newEndpoint();
    await queueEvents(endpoint, 3);
    const rotated = await rotateWebhookSecret(db, box, endpoint);

    expect((await claim({ rowsMax: 1 }))[0]?.secrets).toEqual([rotated?.secret, endpoint.secret]);
    const again = await rotateWebhookSecret(db, box, endpoint);
    expect((await claim({ rowsMax: 1 }))[0]?.secrets).toEqual([again?.secret, rotated?.secret]);
    await db.sql.query(
      "update webhook_endpoints set previous_secret_until = now() - interval '1 s'",
    );
    expect((await claim({ rowsMax: 1 }))[0]?.secrets).toEqual([again?.secret]);
  });
});

describe('an outcome', () => {
  test('is recorded only while its claim is valid, and never twice', async () => {
    const endpoint = await newEndpoint();
    const [id = ''] = await queueEvents(endpoint);
    const [first] = await claim();
    await endLeases();
    const [second] = await claim();
    if (first === undefined || second === undefined) throw new Error('nothing claimed');

    await record([outcome(first, { outcome: 'failed', reason: 'attempts_exhausted' })]);
    expect(await read(endpoint, id)).toMatchObject({ status: 'pending', attempts: 0 });
    await record([outcome(second, { outcome: 'succeeded' })]);
    await record([outcome(second, { outcome: 'failed', reason: 'attempts_exhausted' })]);

    expect(await read(endpoint, id)).toMatchObject({
      status: 'succeeded',
      reason: null,
      attempts: 1,
      attemptLog: [{ statusCode: 500 }],
      nextAttemptAt: null,
    });
  });

  test('of a failure is due again after its delay; a postponed event counts no attempt', async () => {
    const endpoint = await newEndpoint();
    const [id = ''] = await queueEvents(endpoint);
    const [first] = await claim();
    if (first === undefined) throw new Error('nothing claimed');
    await record([outcome(first, { outcome: 'retry', delayMs: 300_000, answer: 'busy' })]);

    const afterwards = await read(endpoint, id);
    expect(afterwards).toMatchObject({ status: 'pending', attempts: 1, lastAnswer: 'busy' });
    expect(Number(afterwards?.nextAttemptAt) - Date.now()).toBeGreaterThan(290_000);
    expect(await claim()).toEqual([]);
    await makeDue();
    const [second] = await claim();
    if (second === undefined) throw new Error('nothing claimed');
    await record([outcome(second, { outcome: 'put_off', delayMs: 60_000 })]);

    expect(await read(endpoint, id)).toMatchObject({
      status: 'pending',
      attempts: 1,
      attemptLog: [{ statusCode: 500 }],
    });
  });

  test('410 disables the endpoint at once, and reports it once', async () => {
    const endpoint = await newEndpoint();
    const [id = ''] = await queueEvents(endpoint, 2);
    const [first, second] = await claim();
    if (first === undefined || second === undefined) throw new Error('nothing claimed');

    const disabled = await record([outcome(first, { outcome: 'failed', reason: 'gone' })]);
    const again = await record([outcome(second, { outcome: 'failed', reason: 'gone' })]);

    expect(disabled).toEqual([
      { endpointId: endpoint.endpointId, applicationId: endpoint.applicationId, reason: 'gone' },
    ]);
    expect(again).toEqual([]);
    expect(await readWebhookEndpoint(db, endpoint)).toMatchObject({
      status: 'disabled',
      disabledReason: 'gone',
      disabledAt: expect.any(Number),
    });
    expect(await read(endpoint, id)).toMatchObject({ status: 'failed', reason: 'gone' });
  });

  test('of nothing but failures for five days disables the endpoint; a success resets the time', async () => {
    const endpoint = await newEndpoint();
    await queueEvents(endpoint, 6);
    const fail = async (
      fields: Pick<WebhookOutcome, 'outcome'> & Partial<WebhookOutcome> = {
        outcome: 'retry',
        delayMs: 0,
      },
    ) => {
      const [one] = await claim({ rowsMax: 1 });
      return one === undefined ? 'nothing claimed' : record([outcome(one, fields)]);
    };
    const sinceDays = (days: number) =>
      db.sql.query(
        "update webhook_endpoints set failing_since = now() - $1 * interval '1 day' where failing_since is not null",
        [days],
      );

    expect(await fail()).toEqual([]);
    await sinceDays(4.9);
    expect(await fail()).toEqual([]);
    expect(await fail({ outcome: 'put_off' })).toEqual([]);
    await sinceDays(5.1);
    expect(await fail({ outcome: 'put_off' })).toEqual([]);
    expect(await fail({ outcome: 'succeeded' })).toEqual([]);
    expect(await readWebhookEndpoint(db, endpoint)).toMatchObject({
      status: 'enabled',
      failingSince: null,
    });
    expect(await fail()).toEqual([]);
    await sinceDays(5.1);

    expect(await fail()).toEqual([
      { endpointId: endpoint.endpointId, applicationId: endpoint.applicationId, reason: 'failing' },
    ]);
    expect(await readWebhookEndpoint(db, endpoint)).toMatchObject({
      status: 'disabled',
      disabledReason: 'failing',
    });
    expect(
      await changeWebhookEndpoint(db, { ...endpoint, change: { enabled: true } }),
    ).toMatchObject({
      status: 'enabled',
      disabledReason: null,
      disabledAt: null,
      failingSince: null,
    });
  });

  test('of many at once, for the same endpoints in any order, causes no deadlock', async () => {
    const endpoints = await Promise.all(Array.from({ length: 8 }, newEndpoint));
    for (const endpoint of endpoints) await queueEvents(endpoint, 10);
    const claimed = await claim();

    const batches = Array.from({ length: 8 }, (_, index) =>
      claimed.filter((_one, at) => at % 8 === index).toSorted(() => (index % 2 === 0 ? 1 : -1)),
    );
    await Promise.all(
      batches.map((batch, index) =>
        record(
          batch.map((one) =>
            outcome(
              one,
              index % 2 === 0 ? { outcome: 'succeeded' } : { outcome: 'retry', delayMs: 1_000 },
            ),
          ),
        ),
      ),
    );

    const { rows } = await db.sql.query<{ state: string; n: number }>(
      'select state, count(*)::int as n from webhook_deliveries group by 1 order by 1',
    );
    expect(rows).toEqual([
      { state: 'pending', n: 40 },
      { state: 'succeeded', n: 40 },
    ]);
  });
});

describe('webhooks of a disabled or deleted endpoint', () => {
  test('end in steps, except those being sent; they can be replayed when the endpoint is enabled again', async () => {
    const [off, gone, on] = [await newEndpoint(), await newEndpoint(), await newEndpoint()];
    const [first = ''] = await queueEvents(off, 3);
    await queueEvents(gone, 2);
    await queueEvents(on, 2);
    const [sending] = await claim({ only: [off.endpointId], rowsMax: 1 });
    if (sending === undefined) throw new Error('nothing claimed');
    await changeWebhookEndpoint(db, { ...off, change: { enabled: false } });
    await deleteWebhookEndpoint(db, gone);

    expect([
      await failWebhooksToDisabled(db, 3),
      await failWebhooksToDisabled(db, 3),
      await failWebhooksToDisabled(db, 3),
    ]).toEqual([3, 1, 0]);

    expect(sending.deliveryId).toBe(first);
    await record([outcome(sending, { outcome: 'succeeded' })]);
    expect(await read(off, first)).toMatchObject({ status: 'succeeded' });
    const { rows } = await db.sql.query<{ id: string; event_id: string }>(
      "select id, event_id from webhook_deliveries where endpoint_id = $1 and reason = 'endpoint_disabled'",
      [off.endpointId],
    );
    expect(rows).toHaveLength(2);
    const [failed] = rows;
    const replay = { ...off, deliveryId: String(failed?.id) };
    expect(await replayWebhookDelivery(db, replay)).toBe('disabled');
    await changeWebhookEndpoint(db, { ...off, change: { enabled: true } });
    expect(await replayWebhookDelivery(db, replay)).toMatchObject({
      eventId: failed?.event_id,
      replayOf: failed?.id,
      status: 'pending',
      attempts: 0,
    });
    expect((await claim({ only: [off.endpointId] })).map(({ eventId }) => eventId)).toEqual([
      failed?.event_id,
    ]);
  });

  test('cannot be replayed while they are pending', async () => {
    const endpoint = await newEndpoint();
    const [id = ''] = await queueEvents(endpoint);

    expect(await replayWebhookDelivery(db, { ...endpoint, deliveryId: id })).toBe('pending');
    expect(
      await replayWebhookDelivery(db, { ...endpoint, deliveryId: systemIds.uuid() }),
    ).toBeNull();
    expect(
      await replayWebhookDelivery(db, { ...(await newEndpoint()), deliveryId: id }),
    ).toBeNull();
  });
});

describe('how long webhooks wait', () => {
  const putBack = ({ endpointId }: Endpoint, minutes: number) =>
    db.sql.query(
      "update webhook_deliveries set next_at = now() - $2 * interval '1 min' where endpoint_id = $1 and state = 'pending' and lease_until is null",
      [endpointId, minutes],
    );
  const behind = async (limit = 20) =>
    (await listLaggingEndpoints(db, { minSeconds: 300, limit })).map(({ endpointId, seconds }) => [
      endpointId,
      Math.round(seconds / 60),
    ]);

  test('of the service: nothing is attempted. The backlog of an attempted endpoint counts only for the endpoint', async () => {
    const [dead, other] = [await newEndpoint(), await newEndpoint()];
    await queueEvents(dead, 3);
    await putBack(dead, 20);
    expect(await readLongestWait(db)).toBeCloseTo(1_200, -1);

    const [first] = await claim({ rowsPerOther: 1, rowsMax: 1 });
    if (first === undefined) throw new Error('nothing claimed');
    await record([outcome(first, { outcome: 'retry', delayMs: 60_000 })]);

    expect(await readLongestWait(db)).toBeLessThan(15);
    expect(await behind()).toEqual([[dead.endpointId, 20]]);
    await queueEvents(other);
    await putBack(other, 12);
    expect(await readLongestWait(db)).toBeCloseTo(720, -1);
    await db.sql.query(
      "update webhook_endpoints set attempted_at = now() - interval '11 min' where id = $1",
      [dead.endpointId],
    );
    expect(await readLongestWait(db)).toBeCloseTo(720, -1);
    expect(await behind()).toEqual([
      [dead.endpointId, 20],
      [other.endpointId, 12],
    ]);
    expect(await behind(1)).toEqual([[dead.endpointId, 20]]);
  });

  test('of an endpoint also counts while it fails and all its webhooks wait for a retry', async () => {
    const endpoint = await newEndpoint();
    await queueEvents(endpoint);
    const [first] = await claim();
    if (first === undefined) throw new Error('nothing claimed');
    await record([outcome(first, { outcome: 'retry', delayMs: 3_600_000 })]);
    expect(await behind()).toEqual([]);

    await db.sql.query("update webhook_endpoints set failing_since = now() - interval '40 min'");

    expect(await behind()).toEqual([[endpoint.endpointId, 40]]);
    expect(await readLongestWait(db)).toBe(0);
  });

  test('the time of the last attempt is written every few seconds, not for each attempt', async () => {
    const endpoint = await newEndpoint();
    await queueEvents(endpoint, 3);
    const version = async () =>
      (
        await db.sql.query<{ xmin: string; at: Date | null }>(
          'select xmin::text as xmin, attempted_at as at from webhook_endpoints',
        )
      ).rows[0];
    const claimed = await claim();
    const versions: Awaited<ReturnType<typeof version>>[] = [];
    for (const one of claimed) {
      await record([outcome(one, { outcome: 'succeeded' })]);
      versions.push(await version());
    }

    expect(versions).toEqual(
      Array.from({ length: 3 }, () => ({ xmin: versions[0]?.xmin, at: expect.any(Date) })),
    );
  });
});
