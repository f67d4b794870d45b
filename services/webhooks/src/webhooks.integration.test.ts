import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, describe, expect, jest, test } from '@jest/globals';
import { WEBHOOK_KINDS } from '@tidings/contracts/webhooks';
import { createOwnDatabase, eventually } from '@tidings/testing';
import { queueWebhookPing, replayWebhookDelivery } from '@tidings/webhook-queue/delivery-log';
import { Webhook } from 'standardwebhooks';
import { answer, startReceiver, type Received } from './testing/receiver.ts';
import { createListening, spawnSending, startSending } from './testing/test-webhooks.ts';

// Includes process starts on a busy machine.
jest.setTimeout(120_000);
const PATIENT = { timeoutMs: 60_000 };

// The service reads the whole database.
const db = await createOwnDatabase({ poolMax: 20 });
afterAll(() => db.close());
afterEach(() => db.sql.query('truncate webhook_deliveries, webhook_endpoints'));

const verify = (secret: string, { body, headers }: Received) =>
  new Webhook(secret).verify(body, headers as Record<string, string>);
const idsOf = (received: readonly Received[]) => received.map(({ event }) => event.id);

describe('an event', () => {
  test('of every type arrives once, as documented, with a signature that the public verifier accepts', async () => {
    await using receiver = await startReceiver();
    const app = await createListening(db, [receiver.url]);
    await using _sending = await startSending(db);

    for (const kind of WEBHOOK_KINDS)
      if (kind !== 'webhook.ping') await app.happen(kind.replace(/^message\./, 'delivery.'));
    await queueWebhookPing(db, { ...app, eventId: 'evt_ping' });

    await eventually(
      async () =>
        expect((await app.log()).map(({ status }) => status)).toEqual(
          WEBHOOK_KINDS.map(() => 'succeeded'),
        ),
      PATIENT,
    );
    expect(receiver.received.map(({ event }) => event.type).toSorted()).toEqual(
      [...WEBHOOK_KINDS].toSorted(),
    );
    for (const request of receiver.received) {
      expect(verify(app.secret, request)).toEqual(request.event);
      expect(request.headers).toMatchObject({
        'content-type': 'application/json',
        'webhook-id': request.event.id,
      });
    }
    const completed = receiver.received.find(({ event }) => event.type === 'campaign.completed');
    expect(completed?.event).toEqual({
      id: expect.stringMatching(/^evt_[0-9a-f]{32}$/),
      type: 'campaign.completed',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      applicationId: app.applicationId,
      data: { campaignId: app.campaignId, channel: 'EMAIL', status: 'completed' },
    });
  });

  test('is verified through a rotation by receivers with either secret', async () => {
    await using receiver = await startReceiver();
    const app = await createListening(db, [receiver.url]);
    await using _sending = await startSending(db);
    const arrived = async (count: number): Promise<Received> => {
      await app.happen('campaign.completed');
      await eventually(() => expect(receiver.received).toHaveLength(count), PATIENT);
      const last = receiver.received.at(-1);
      if (last === undefined) throw new Error('nothing arrived');
      return last;
    };

    const before = await arrived(1);
    const secret = await app.rotate();
    const meanwhile = await arrived(2);
    await db.sql.query(
      "update webhook_endpoints set previous_secret_until = now() - interval '1 s'",
    );
    const after = await arrived(3);

    expect([before, meanwhile].map((request) => verify(app.secret, request))).toHaveLength(2);
    expect([meanwhile, after].map((request) => verify(secret, request))).toHaveLength(2);
    expect(() => verify(secret, before)).toThrow();
    expect(() => verify(app.secret, after)).toThrow();
  });

  test('is sent again unchanged until it is accepted', async () => {
    await using receiver = await startReceiver((res, count) =>
      answer(count < 2 ? 500 : 200)(res, count),
    );
    const app = await createListening(db, [receiver.url]);
    await using _sending = await startSending(db, { WEBHOOK_RETRY_DELAYS_SECONDS: '0,0,0' });

    await app.happen('campaign.completed');

    await eventually(
      async () =>
        expect(await app.log()).toMatchObject([
          {
            status: 'succeeded',
            attempts: 3,
            attemptLog: [{ statusCode: 500 }, { statusCode: 500 }, { statusCode: 200 }],
          },
        ]),
      PATIENT,
    );
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
    for (const request of receiver.received) verify(app.secret, request);
    expect(await app.endpoint()).toMatchObject({ status: 'enabled', failingSince: null });
  });

  test('fails after its last attempt; a replay sends it again with the same id', async () => {
    await using receiver = await startReceiver(answer(500));
    const app = await createListening(db, [receiver.url]);
    await using _sending = await startSending(db, { WEBHOOK_RETRY_DELAYS_SECONDS: '0,0' });
    await app.happen('campaign.completed');
    await eventually(
      async () =>
        expect(await app.log()).toMatchObject([
          { status: 'failed', reason: 'attempts_exhausted', attempts: 3 },
        ]),
      PATIENT,
    );
    expect(await app.endpoint()).toMatchObject({
      status: 'enabled',
      failingSince: expect.any(Number),
    });
    receiver.answerWith(answer(200));

    const [failed] = await app.log();
    await replayWebhookDelivery(db, { ...app, deliveryId: String(failed?.id) });

    await eventually(
      async () =>
        expect((await app.log()).map(({ status }) => status)).toEqual(['succeeded', 'failed']),
      PATIENT,
    );
    expect(new Set(idsOf(receiver.received)).size).toBe(1);
    expect(receiver.received).toHaveLength(4);
  });

  test('waits as long as Retry-After says', async () => {
    await using receiver = await startReceiver(answer(503, { 'Retry-After': '3600' }));
    const app = await createListening(db, [receiver.url]);
    await using _sending = await startSending(db);

    await app.happen('campaign.completed');

    await eventually(async () => expect(await app.log()).toMatchObject([{ attempts: 1 }]), PATIENT);
    const [entry] = await app.log();
    expect(Number(entry?.nextAttemptAt) - Number(entry?.createdAt)).toBeGreaterThanOrEqual(
      3_600_000,
    );
  });

  test('is not sent to the target of a redirect', async () => {
    await using elsewhere = await startReceiver();
    await using receiver = await startReceiver(answer(302, { Location: elsewhere.url }));
    const app = await createListening(db, [receiver.url]);
    await using _sending = await startSending(db);

    await app.happen('campaign.completed');

    await eventually(
      async () =>
        expect(await app.log()).toMatchObject([
          { status: 'pending', attempts: 1, attemptLog: [{ statusCode: 302 }] },
        ]),
      PATIENT,
    );
    expect(elsewhere.received).toEqual([]);
  });

  test('is not sent to a private address', async () => {
    await using receiver = await startReceiver();
    const app = await createListening(db, [
      receiver.url,
      receiver.url.replace('127.0.0.1', 'localhost'),
    ]);
    await using _sending = await startSending(db, { EGRESS_HOOKS_NETWORKS: '' });

    await app.happen('campaign.completed');

    for (const { id } of app.endpoints) {
      await eventually(
        async () =>
          expect(await app.log(id)).toMatchObject([
            { attempts: 1, attemptLog: [{ error: 'address_refused' }] },
          ]),
        PATIENT,
      );
    }
    expect(receiver.open()).toBe(0);
  });
});

describe('an endpoint', () => {
  test('that hangs delays no other, and uses at most its slots', async () => {
    await using hanging = await startReceiver(() => undefined);
    await using quick = await startReceiver();
    const hangs = await createListening(db, [hanging.url, hanging.url, hanging.url, hanging.url]);
    const answers = await createListening(db, [quick.url]);
    await hangs.happen('campaign.completed', 20);
    await using sending = await startSending(db, {
      WEBHOOK_CONCURRENCY: '4',
      WEBHOOK_ENDPOINT_CONCURRENCY: '4',
      WEBHOOK_TIMEOUT_MS: '100000',
      WEBHOOK_LEASE_MS: '110000',
    });
    await eventually(() => expect(hanging.received.length).toBeGreaterThanOrEqual(4), PATIENT);

    await answers.happen('campaign.completed', 200);

    await eventually(() => expect(quick.received).toHaveLength(200), PATIENT);
    // None of the others has been answered or given up meanwhile.
    for (const { id } of hangs.endpoints)
      expect((await hangs.log(id)).map(({ attempts }) => attempts)).toEqual(Array(20).fill(0));
    expect(hanging.received.length).toBeLessThanOrEqual(8);
    await hanging[Symbol.asyncDispose]();
    await sending.stop();
  });

  test('that answers 410 is disabled, with an alert; its waiting webhooks fail', async () => {
    await using receiver = await startReceiver(answer(410));
    const app = await createListening(db, [receiver.url]);
    await app.happen('campaign.completed', 10);
    await using sending = await startSending(db);

    await eventually(
      async () =>
        expect(await app.endpoint()).toMatchObject({ status: 'disabled', disabledReason: 'gone' }),
      PATIENT,
    );
    await eventually(
      async () =>
        expect((await app.log()).filter(({ status }) => status === 'pending')).toEqual([]),
      PATIENT,
    );
    const reasons = (await app.log()).map(({ reason }) => reason);
    expect(new Set(reasons)).toEqual(new Set(['gone', 'endpoint_disabled']));
    expect(receiver.received.length).toBeLessThan(10);
    expect(sending.lines.filter(({ msg }) => msg === 'webhook endpoint disabled')).toEqual([
      expect.objectContaining({
        level: 'error',
        endpointId: app.endpointId,
        applicationId: app.applicationId,
        reason: 'gone',
      }),
    ]);
    await app.happen('campaign.completed');
    expect(await app.log()).toHaveLength(10);
  });

  test('with nothing but failures for five days is disabled, with an alert', async () => {
    await using receiver = await startReceiver(answer(500));
    const app = await createListening(db, [receiver.url]);
    await using sending = await startSending(db);
    await app.happen('campaign.completed');
    await eventually(
      async () =>
        expect(await app.endpoint()).toMatchObject({
          failingSince: expect.any(Number),
          status: 'enabled',
        }),
      PATIENT,
    );
    await db.sql.query(
      "update webhook_endpoints set failing_since = failing_since - interval '5 days'",
    );

    await app.happen('campaign.completed');

    await eventually(
      async () =>
        expect(await app.endpoint()).toMatchObject({
          status: 'disabled',
          disabledReason: 'failing',
        }),
      PATIENT,
    );
    expect(sending.lines).toContainEqual(
      expect.objectContaining({
        level: 'error',
        msg: 'webhook endpoint disabled',
        reason: 'failing',
      }),
    );
  });

  test('with undecryptable secrets keeps its webhooks, and the service logs the reason', async () => {
    await using receiver = await startReceiver();
    const app = await createListening(db, [receiver.url]);
    await app.happen('campaign.completed');
    await using sending = await startSending(db, {
      ENCRYPTION_KEY: 'another key, of thirty-two characters',
    });

    await eventually(
      () =>
        expect(sending.lines).toContainEqual(
          expect.objectContaining({ level: 'error', endpointId: app.endpointId }),
        ),
      PATIENT,
    );
    await sending.stop();

    expect(await app.log()).toMatchObject([{ status: 'pending', attempts: 0 }]);
    expect(receiver.received).toEqual([]);
    expect(await app.endpoint()).toMatchObject({ status: 'enabled', failingSince: null });
  });
});

describe('the service', () => {
  test('shares the work with other replicas: each webhook is sent once', async () => {
    await using receiver = await startReceiver();
    const app = await createListening(db, [receiver.url, receiver.url]);
    await app.happen('campaign.completed', 150);
    await using first = await startSending(db);
    await using second = await startSending(db);

    await eventually(() => expect(receiver.received.length).toBeGreaterThanOrEqual(300), PATIENT);
    await Promise.all([first.stop(), second.stop()]);

    expect(receiver.received).toHaveLength(300);
    expect(new Set(idsOf(receiver.received)).size).toBe(150);
    for (const { id } of app.endpoints)
      expect(new Set((await app.log(id)).map(({ status }) => status))).toEqual(
        new Set(['succeeded']),
      );
  });

  test('finishes what it has begun when stopped, and begins nothing more', async () => {
    const held: ServerResponse[] = [];
    await using receiver = await startReceiver((res) => void held.push(res));
    const app = await createListening(db, [receiver.url]);
    await app.happen('campaign.completed', 5);
    await using sending = await startSending(db);
    await eventually(() => expect(held.length).toBeGreaterThan(0), PATIENT);

    const stopped = sending.stop();
    // Another request may have begun that the receiver has not got yet.
    receiver.answerWith(answer(204));
    for (const res of held) answer(204)(res, 0);
    await stopped;

    const statuses = (await app.log()).map(({ status }) => status);
    // An endpoint has two slots before its first success.
    expect(receiver.received.length).toBeLessThanOrEqual(2);
    expect(statuses.filter((status) => status === 'succeeded')).toHaveLength(
      receiver.received.length,
    );
    const { rows } = await db.sql.query(
      "select 1 from webhook_deliveries where state = 'pending' and lease_until > now()",
    );
    expect(rows).toEqual([]);
  });

  test('killed while a webhook is in flight: another process sends it again unchanged, and nothing is lost', async () => {
    await using receiver = await startReceiver(() => undefined);
    const app = await createListening(db, [receiver.url]);
    await app.happen('campaign.completed', 3);
    await using first = await spawnSending(db);
    await eventually(() => expect(receiver.received.length).toBeGreaterThan(0), PATIENT);

    first.kill('SIGKILL');
    await first[Symbol.asyncDispose]();
    await eventually(() => expect(receiver.open()).toBe(0), PATIENT);
    const sentTwice = idsOf(receiver.received);
    expect((await app.log()).map(({ status, attempts }) => [status, attempts])).toEqual(
      Array(3).fill(['pending', 0]),
    );
    receiver.answerWith(answer(200));
    // The lease of the killed process expires.
    await db.sql.query(
      'update webhook_deliveries set lease_until = now(), next_at = now() where lease_until is not null',
    );
    await using _second = await spawnSending(db);

    await eventually(
      async () =>
        expect((await app.log()).map(({ status, attempts }) => [status, attempts])).toEqual(
          Array(3).fill(['succeeded', 1]),
        ),
      PATIENT,
    );
    const times = (id: string) => idsOf(receiver.received).filter((other) => other === id).length;
    expect(new Set(idsOf(receiver.received))).toEqual(
      new Set((await app.log()).map(({ eventId }) => eventId)),
    );
    expect(sentTwice.map(times)).toEqual(sentTwice.map(() => 2));
    for (const id of sentTwice)
      expect(
        new Set(receiver.received.filter(({ event }) => event.id === id).map(({ body }) => body))
          .size,
      ).toBe(1);
  });
});
