import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createSecretBox, systemIds } from '@tidings/platform';
import { createOwnDatabase } from '@tidings/testing';
import { changeWebhookEndpoint, deleteWebhookEndpoint, readWebhookEndpoint } from './endpoints.ts';
import { replayWebhookDelivery } from './delivery-log.ts';
import { failWebhooksToDisabled, type WebhookOutcome } from './queue.ts';
import { webhookHelpers } from './testing/queued-webhooks.ts';

// Claims select from the whole database.
const db = await createOwnDatabase();
const box = createSecretBox('k'.repeat(32));
afterAll(() => db.close());
beforeEach(() => db.sql.query('truncate webhook_deliveries, webhook_endpoints'));
const { newEndpoint, queueEvents, claim, read, record, outcome, endLeases, makeDue } =
  webhookHelpers(db, box);

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
