import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createSecretBox } from '@tidings/platform';
import { createOwnDatabase, createSendingCampaign, expectSecondsLeft } from '@tidings/testing';
import { changeWebhookEndpoint, rotateWebhookSecret } from './endpoints.ts';
import { claimWebhooks, rescheduleWebhooksWrittenAhead, type ClaimedWebhook } from './queue.ts';
import { listLaggingEndpoints, readLongestWait } from './backlog.ts';
import { webhookHelpers, ANY } from './testing/queued-webhooks.ts';

// Claims select from the whole database.
const db = await createOwnDatabase();
const box = createSecretBox('k'.repeat(32));
afterAll(() => db.close());
beforeEach(() => db.sql.query('truncate webhook_deliveries, webhook_endpoints'));
const { newEndpoint, queueEvents, claim, record, outcome, endLeases } = webhookHelpers(db, box);

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

    const { rows } = await db.sql.query<{ lease: number; is_next: boolean }>(
      'select extract(epoch from lease_until - now())::float8 as lease, next_at = lease_until as is_next from webhook_deliveries',
    );
    expect(rows).toMatchObject([{ is_next: true }]);
    expectSecondsLeft(rows[0]?.lease, 60);
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

  test('adds what a mail server meant to the event, and stores it there', async () => {
    const { applicationId, campaignId } = await createSendingCampaign(db);
    const { endpointId } = await newEndpoint({ applicationId });
    const bounce = { class: 'refused', evidence: '5.7.1 "spam"' };
    await db.sql.query(
      `insert into campaign_events (campaign_id, type, delivery_id, status, reason, detail, bounce)
       select campaign_id, t.type, id, 'failed', 'provider_rejected', '554 Spam', t.bounce::jsonb
       from deliveries, (values ('delivery.bounced', $2::text), ('delivery.failed', null)) t (type, bounce)
       where campaign_id = $1`,
      [campaignId, JSON.stringify(bounce)],
    );

    const events = (await claim()).filter((one) => one.endpointId === endpointId);

    expect(events.map(({ type }) => type).toSorted()).toEqual([
      'message.bounced',
      'message.failed',
    ]);
    for (const { type, data } of events)
      expect(data['bounce']).toEqual(type === 'message.bounced' ? bounce : undefined);
    const { rows } = await db.sql.query<{ n: number }>(
      `select count(*)::int as n from webhook_deliveries where data -> 'bounce' = $1::jsonb`,
      [JSON.stringify(bounce)],
    );
    expect(rows).toEqual([{ n: 1 }]);
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
