import { beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from '@tidings/testing';
import { metricsAskedFor, metricsDeclared } from '../../observability/metric-names.ts';
import { useApplication, type Services } from './services.ts';
import { createClient, registerUsers, sumOfCounts, type Client } from '../support/client.ts';

/** What a caller sees of a request, from its answer to the outcome of each message. */
export function outcomeTests(services: () => Services): void {
  let tidings: Services;
  let client: Client;

  beforeAll(async () => {
    tidings = await useApplication(services(), 'Outcomes');
    client = createClient(tidings.local);
  }, 120_000);

  const serviceUserId = '3f2a9f6e-8f8b-4d7c-9c55-1f0a52a3c001';
  const batch = {
    customUserId: 'ada',
    serviceUserId,
    messages: [
      {
        type: 'user',
        id: 'u1',
        time: 1_700_000_000_000,
        firstName: 'Ada',
        email: 'ada@people.example',
        customAttributes: { plan: 'pro', seats: 3 },
      },
      {
        type: 'action',
        id: 'a1',
        time: 1_700_000_000_001,
        customName: 'page_viewed',
        attributes: {
          big: 0,
          at: '2024-11-20T10:00:00.000Z',
          deep: { list: [1, 2.5, null, true] },
        },
      },
      {
        type: 'revenue',
        id: 'r1',
        time: 1_700_000_000_002,
        customName: 'order_paid',
        revenue: 12.5,
        currency: 'EUR',
      },
      {
        type: 'businessEvent',
        id: 'b1',
        time: 1_700_000_000_003,
        customName: 'stock_counted',
        attributes: { sku: 'x' },
      },
    ],
  };
  // As text: this integer exceeds the precision of a JavaScript number.
  const batchText = JSON.stringify(batch).replace('"big":0', '"big":9007199254740993');

  describe('a batch of the four types', () => {
    test('can be read within 2 s: the user, the events, and a receipt for every message', async () => {
      const answer = await client.submit(batchText);

      expect(answer.status).toBe(200);
      expect(answer.body).toMatchObject({
        status: 'accepted',
        received: 4,
        accepted: 4,
        warnings: [],
      });
      expect(answer.headers.get('x-request-id')).toBe(answer.body.requestId);
      const report = await eventually(
        async () => {
          const current = await client.ingestReport(answer.body.requestId);
          expect(current.complete).toBe(true);
          return current;
        },
        { timeoutMs: 2_000 },
      );
      expect(report.messages.map(({ id, type, outcome }) => [id, type, outcome])).toEqual([
        ['u1', 'user', 'processed'],
        ['a1', 'action', 'processed'],
        ['r1', 'revenue', 'processed'],
        ['b1', 'businessEvent', 'processed'],
      ]);
      expect(await client.read('users/ada')).toMatchObject({
        customUserId: 'ada',
        serviceUserIds: [serviceUserId],
        profile: {
          firstName: 'Ada',
          email: 'ada@people.example',
          customAttributes: { plan: 'pro', seats: 3 },
        },
        reachable: {
          EMAIL: { ok: true },
          SMS: { ok: false, reason: 'no_address' },
          IN_APP: { ok: true },
          WEB_PUSH: { ok: false, reason: 'no_subscription' },
        },
      });
      const { items } = await client.read<{
        items: { id: string; name: string; revenue?: number; currency?: string }[];
      }>('users/ada/events');
      expect(items.map(({ id, name }) => [id, name])).toEqual([
        ['b1', 'stock_counted'],
        ['r1', 'order_paid'],
        ['a1', 'page_viewed'],
      ]);
      expect(items[1]).toMatchObject({ revenue: 12.5, currency: 'EUR' });
    });

    test('keeps the type of every attribute, integers to their last digit', async () => {
      const answer = await fetch(`${tidings.local.baseUrl}/api/v1/users/ada/events`, {
        headers: {
          'X-Application-Id': tidings.local.applicationId,
          'X-API-Key': tidings.local.serverKey,
        },
      });

      const text = await answer.text();

      expect(text).toContain('9007199254740993');
      expect(text).toContain('"list":[1,2.5,null,true]');
    });

    test('sent again returns 200; every message is a duplicate, and nothing changes', async () => {
      const userBefore = await client.read('users/ada');
      const eventsBefore = await client.read('users/ada/events');

      const answer = await client.submit(batchText);

      expect(answer.status).toBe(200);
      const report = await eventually(async () => {
        const current = await client.ingestReport(answer.body.requestId);
        expect(current.complete).toBe(true);
        return current;
      });
      expect(report.messages.map(({ outcome, reason }) => [outcome, reason])).toEqual(
        Array.from({ length: 4 }, () => ['duplicate', 'duplicate_id']),
      );
      expect(await client.read('users/ada')).toEqual(userBefore);
      expect(await client.read('users/ada/events')).toEqual(eventsBefore);
    });
  });

  describe('an EMAIL campaign', () => {
    test('to a registered user, one without address and one unknown: one mail, and an outcome with its reason for each', async () => {
      await registerUsers(client, ['grace']);
      await client.submit({
        customUserId: 'no-address',
        messages: [{ type: 'user', id: 'n1', time: Date.now() }],
      });
      await eventually(() =>
        Promise.all([client.read('users/grace'), client.read('users/no-address')]),
      );

      const answer = await client.push({
        recipients: ['grace', 'no-address', 'unregistered', 'grace'],
        channel: 'EMAIL',
        message: { title: 'Hello', body: '<p>Hello</p>' },
      });

      expect(answer.status).toBe(200);
      expect(answer.body).toMatchObject({
        status: 'queued',
        channel: 'EMAIL',
        recipients: { requested: 4, unique: 3 },
      });
      expect(answer.headers.get('location')).toBe(`/api/v1/campaigns/${answer.body.campaignId}`);
      const seen: number[] = [];
      const campaign = await eventually(
        async () => {
          const current = await client.campaign(answer.body.campaignId);
          seen.push(sumOfCounts(current) - current.counts.total);
          expect(current.status).toBe('completed');
          return current;
        },
        { timeoutMs: 30_000 },
      );
      expect(new Set(seen)).toEqual(new Set([0]));
      expect(campaign.counts).toMatchObject({
        total: 3,
        successful: 1,
        failed: 2,
        unknown: 0,
        pending: 0,
      });
      expect(campaign.failures).toEqual({ no_address: 1, unknown_user: 1 });
      expect(campaign.timing).toMatchObject({
        firstSentAt: expect.any(Number),
        completedAt: expect.any(Number),
        p50Ms: expect.any(Number),
      });
      const deliveries = await client.deliveries(answer.body.campaignId);
      expect(
        deliveries.map(({ customUserId, status, reason }) => [customUserId, status, reason]),
      ).toEqual([
        ['grace', 'sent', null],
        ['no-address', 'failed', 'no_address'],
        ['unregistered', 'failed', 'unknown_user'],
      ]);
      const mails = await client.sandbox<{
        count: number;
        messages: { to: string; title: string; deliveryId: string }[];
      }>('GET', `/api/messages?campaignId=${answer.body.campaignId}`);
      expect(mails.body.count).toBe(1);
      expect(mails.body.messages[0]).toMatchObject({
        to: 'grace@people.example',
        title: 'Hello',
        deliveryId: deliveries[0]?.deliveryId,
      });
      const { items } = await client.read<{ items: { type: string }[] }>(
        `campaigns/${answer.body.campaignId}/events`,
      );
      expect(items.map(({ type }) => type)).toEqual(
        expect.arrayContaining([
          'campaign.queued',
          'campaign.started',
          'delivery.sent',
          'delivery.failed',
          'campaign.completed',
        ]),
      );
    }, 60_000);

    test('a recipient that registers while it is looked up gets its mail', async () => {
      const { body } = await client.push({
        recipients: ['late'],
        channel: 'EMAIL',
        message: { body: 'Welcome' },
      });

      await registerUsers(client, ['late']);

      await eventually(
        async () => expect((await client.campaign(body.campaignId)).counts.successful).toBe(1),
        { timeoutMs: 15_000 },
      );
    }, 30_000);

    test('a channel that the application has not configured is accepted, and every recipient fails for that reason', async () => {
      const { baseUrl, adminToken } = tidings.local;
      const create = async <T>(path: string, body: object, applicationId?: string): Promise<T> =>
        (
          await client.call<T>('POST', `${baseUrl}/api/v1/${path}`, {
            body,
            headers: {
              Authorization: `Bearer ${adminToken}`,
              ...(applicationId !== undefined && { 'X-Application-Id': applicationId }),
            },
          })
        ).body;
      const { applicationId } = await create<{ applicationId: string }>('applications', {
        name: 'Without channels',
      });
      const { key: serverKey } = await create<{ key: string }>(
        'keys',
        { type: 'server', name: 'of a test' },
        applicationId,
      );
      const other = createClient({ ...tidings.local, applicationId, serverKey });
      await registerUsers(other, ['ada']);

      for (const channel of ['ON_SITE', 'EMAIL']) {
        const { status, body } = await other.push({
          recipients: ['ada'],
          channel,
          message: { body: '<b>Hello</b>' },
        });

        expect(status).toBe(200);
        await eventually(
          async () =>
            expect(await other.campaign(body.campaignId)).toMatchObject({
              status: 'completed',
              failures: { channel_not_configured: 1 },
            }),
          { timeoutMs: 20_000 },
        );
      }
    }, 60_000);

    test.each(['WEB_PUSH', 'APP_PUSH'])(
      '%s, to a user without a device, fails for that reason',
      async (channel) => {
        const { status, body } = await client.push({
          recipients: ['ada'],
          channel,
          message: { body: 'Hello' },
        });

        expect(status).toBe(200);
        await eventually(async () =>
          expect(await client.campaign(body.campaignId)).toMatchObject({
            status: 'completed',
            failures: { no_subscription: 1 },
          }),
        );
      },
      30_000,
    );
  });

  test('a deleted key is rejected within 5 s', async () => {
    const { baseUrl, applicationId, adminToken } = tidings.local;
    const admin = { Authorization: `Bearer ${adminToken}`, 'X-Application-Id': applicationId };
    const { body: key } = await client.call<{ id: string; key: string }>(
      'POST',
      `${baseUrl}/api/v1/keys`,
      { body: { type: 'server', name: 'short-lived' }, headers: admin },
    );
    const submit = () =>
      client.call('POST', `${baseUrl}/`, {
        body: {
          messages: [
            {
              type: 'businessEvent',
              id: crypto.randomUUID(),
              time: Date.now(),
              customName: 'ping_sent',
            },
          ],
        },
        headers: { 'X-Application-Id': applicationId, 'X-API-Key': key.key },
      });
    expect((await submit()).status).toBe(200);

    expect(
      (await client.call('DELETE', `${baseUrl}/api/v1/keys/${key.id}`, { headers: admin })).status,
    ).toBe(204);

    await eventually(async () => expect((await submit()).status).toBe(403), { timeoutMs: 5_000 });
  }, 30_000);

  test('a scrape has every metric of the alerts and dashboards', async () => {
    const scrapes = await Promise.all(
      tidings.supervisor
        .list()
        .map(async ({ metricsUrl }) => metricsDeclared(await (await fetch(metricsUrl)).text())),
    );
    const declared = new Set(scrapes.flatMap((scrape) => [...scrape]));

    expect(metricsAskedFor().size).toBeGreaterThan(30);
    expect([...metricsAskedFor()].filter((name) => !declared.has(name))).toEqual([]);
  });
}
