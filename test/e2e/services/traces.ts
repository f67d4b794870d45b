import { randomBytes } from 'node:crypto';
import { beforeAll, expect, test } from '@jest/globals';
import { eventually } from '@tidings/testing';
import { useApplication, type Services } from './services.ts';
import { createClient, type Client } from '../support/client.ts';
import type { OtlpReceiver, ReceivedSpan } from '../support/otlp-receiver.ts';

/** Spans are exported once per second. */
const TEST_TIMEOUT_MS = 60_000;

/** Spans of requests whose caller has sampled them. */
export function traceTests(services: () => Services & { readonly collector: OtlpReceiver }): void {
  let tidings: Services;
  let client: Client;

  beforeAll(async () => {
    tidings = await useApplication(services(), 'Traces');
    client = createClient(tidings.local);
  }, 240_000);

  /** A request with a sampled or unsampled traceparent. */
  async function post(
    path: string,
    body: unknown,
    { isSampled }: { readonly isSampled: boolean } = { isSampled: true },
  ): Promise<{
    readonly traceId: string;
    readonly callerSpanId: string;
    readonly body: Record<string, unknown>;
  }> {
    const [traceId, callerSpanId] = [
      randomBytes(16).toString('hex'),
      randomBytes(8).toString('hex'),
    ];
    const headers = {
      'X-Application-Id': tidings.local.applicationId,
      'X-API-Key': tidings.local.serverKey,
      traceparent: `00-${traceId}-${callerSpanId}-${isSampled ? '01' : '00'}`,
    };
    const answer = await client.call<Record<string, unknown>>(
      'POST',
      `${tidings.local.baseUrl}${path}`,
      { body, headers },
    );
    expect(answer.status).toBe(200);
    return { traceId, callerSpanId, body: answer.body };
  }

  const register = (
    customUserId: string,
    profile: Readonly<Record<string, unknown>> = { email: `${customUserId}@people.example` },
  ) => ({
    customUserId,
    messages: [
      { type: 'user', id: `register-${customUserId}`, time: Date.now(), ...profile },
      { type: 'action', id: `seen-${customUserId}`, time: Date.now(), customName: 'page_viewed' },
    ],
  });

  const nameOf = ({ service, name }: ReceivedSpan): string => `${service}: ${name}`;

  /** The path from a span up to the caller's request, as `service: name` entries. */
  function wayUp(spans: readonly ReceivedSpan[], from: ReceivedSpan): readonly string[] {
    const above = spans.find(({ spanId }) => spanId === from.parentSpanId);
    return [nameOf(from), ...(above === undefined ? [] : wayUp(spans, above))];
  }

  async function spanOf(
    traceId: string,
    wanted: string,
    attributes: Readonly<Record<string, unknown>> = {},
  ): Promise<{ readonly span: ReceivedSpan; readonly spans: readonly ReceivedSpan[] }> {
    return eventually(
      () => {
        const spans = services().collector.spansOf(traceId);
        const span = spans.find(
          (one) =>
            nameOf(one) === wanted &&
            Object.entries(attributes).every(([key, value]) => one.attributes[key] === value),
        );
        if (span === undefined)
          throw new Error(`no span "${wanted}" among ${spans.map(nameOf).join(', ')}`);
        return Promise.resolve({ span, spans });
      },
      { timeoutMs: 20_000 },
    );
  }

  test(
    'one trace leads from POST / through Kafka to the insert, of the user and of the event',
    async () => {
      const { traceId, callerSpanId } = await post('/', register('ada'));

      for (const [service, name] of [
        ['users-consumer', 'insert users'],
        ['events-consumer', 'insert events'],
      ] as const) {
        const { span } = await spanOf(traceId, `${service}: ${name}`);
        await spanOf(traceId, 'gateway: POST /');
        const { spans } = await spanOf(traceId, `${service}: process ingest`);
        expect(wayUp(spans, span)).toEqual([
          `${service}: ${name}`,
          `${service}: process ingest`,
          'gateway: send ingest',
          'gateway: POST /',
        ]);
        expect(spans.find(({ name: one }) => one === 'POST /')).toMatchObject({
          parentSpanId: callerSpanId,
          attributes: { 'http.response.status_code': 200 },
        });
      }
    },
    TEST_TIMEOUT_MS,
  );

  test(
    'one trace leads from POST /push through Kafka to the provider and the outcome of each recipient',
    async () => {
      await post('/', register('grace'));
      await eventually(() => client.read('users/grace'), { timeoutMs: 20_000 });

      const { traceId, body } = await post('/push', {
        recipients: ['grace', 'unregistered'],
        channel: 'EMAIL',
        message: { title: 'Traced', body: 'secret words' },
      });

      const { span } = await spanOf(traceId, 'worker-email: record outcome');
      await spanOf(traceId, 'gateway: POST /push');
      await spanOf(traceId, 'campaigns: expand');
      const { spans } = await spanOf(traceId, 'worker-email: send chunk');
      expect(wayUp(spans, span)).toEqual([
        'worker-email: record outcome',
        'worker-email: send EMAIL',
        'worker-email: send chunk',
        'worker-email: process dispatch.email.express',
        'campaigns: send dispatch.email.express',
        'gateway: POST /push',
      ]);
      const [sent] = await client.deliveries(String(body['campaignId']));
      expect(spans.find(({ name }) => name === 'send EMAIL')).toMatchObject({
        attributes: {
          'tidings.channel': 'EMAIL',
          'tidings.outcome': 'sent',
          'tidings.attempt': 1,
          'tidings.delivery_id': sent?.deliveryId,
        },
        isFailed: false,
      });
      // The event log has the trace id.
      const { items } = await client.read<{ items: { type: string; traceId?: string }[] }>(
        `campaigns/${String(body['campaignId'])}/events`,
      );
      expect(items.flatMap((item) => item.traceId ?? [])).toContain(traceId);
    },
    TEST_TIMEOUT_MS,
  );

  /** A traced push to a new user. */
  async function pushTo(
    customUserId: string,
    {
      channel,
      ...profile
    }: { readonly channel: string; readonly email?: string; readonly phoneNumber?: string },
  ): Promise<{ readonly traceId: string; readonly deliveryId: string | undefined }> {
    await post('/', register(customUserId, profile));
    await eventually(() => client.read(`users/${customUserId}`), { timeoutMs: 20_000 });
    const { traceId, body } = await post('/push', {
      recipients: [customUserId],
      channel,
      message: { title: 'Traced', body: 'secret words' },
    });
    const [delivery] = await eventually(async () => {
      const deliveries = await client.deliveries(String(body['campaignId']));
      expect(deliveries).toHaveLength(1);
      return deliveries;
    });
    return { traceId, deliveryId: delivery?.deliveryId };
  }

  test.each([
    ['SMS', { phoneNumber: '+4915112345001' }, 'delivered'],
    ['EMAIL', { email: 'edith.bounce-later@people.example' }, 'hard_bounce'],
  ] as const)(
    'what a provider calls back of a message by %s is in the trace of its push',
    async (channel, profile, outcome) => {
      const { traceId, deliveryId } = await pushTo(`called-back-by-${channel}`, {
        channel,
        ...profile,
      });

      await spanOf(traceId, 'gateway: POST /push');
      const { span, spans } = await spanOf(traceId, `client-api: callback ${channel}`, {
        'tidings.outcome': outcome,
      });

      expect(span.attributes).toMatchObject({
        'tidings.channel': channel,
        'tidings.delivery_id': deliveryId,
      });
      expect(wayUp(spans, span)).toEqual([
        `client-api: callback ${channel}`,
        'gateway: POST /push',
      ]);
    },
    TEST_TIMEOUT_MS,
  );

  test(
    'a look-up of an outcome that is unknown is in the trace of its push',
    async () => {
      await client.sandbox('POST', '/api/faults', { channel: 'SMS', kind: 'drop_reply', rate: 1 });
      // Otherwise callbacks would report the outcome first.
      tidings.supervisor.kill('client-api', 'SIGSTOP');
      try {
        const { traceId, deliveryId } = await pushTo('looked-up', {
          channel: 'SMS',
          phoneNumber: '+4915112345002',
        });

        await spanOf(traceId, 'gateway: POST /push');
        await spanOf(traceId, 'worker-sms: send SMS', { 'tidings.outcome': 'unknown' });
        const { span } = await spanOf(traceId, 'worker-sms: look up SMS', {
          'tidings.delivery_id': deliveryId,
        });
        const { spans } = await spanOf(traceId, 'worker-sms: record outcome');

        expect(span.attributes['tidings.outcome']).toMatch(/^(sent|delivered)$/);
        expect(wayUp(spans, span)).toEqual(['worker-sms: look up SMS', 'gateway: POST /push']);
      } finally {
        tidings.supervisor.kill('client-api', 'SIGCONT');
        await client.sandbox('DELETE', '/api/faults');
      }
    },
    TEST_TIMEOUT_MS,
  );

  test(
    'an untraced request makes no span, and no span contains message content or recipients',
    async () => {
      const { traceId } = await post('/', register('alan'), { isSampled: false });
      await eventually(() => client.read('users/alan'), { timeoutMs: 20_000 });
      const { traceId: later } = await post('/', register('joan'));
      await spanOf(later, 'users-consumer: insert users');

      expect(services().collector.spansOf(traceId)).toEqual([]);
      for (const secret of [
        'people.example',
        '+49151',
        'secret words',
        tidings.local.serverKey,
        'Traced',
      ])
        expect(services().collector.text()).not.toContain(secret);
    },
    TEST_TIMEOUT_MS,
  );
}
