import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from '@tidings/testing';
import { SEND_CONCURRENCY, useApplication, type Services } from './services.ts';
import { createClient, sumOfCounts, type Client } from '../support/client.ts';

type SandboxMessage = {
  to: string;
  body: string;
  deliveryId: string;
  campaignId: string;
  data: Record<string, unknown>;
};

/** SMS and WEB_HOOK with their failures, and with their workers killed. */
export function smsAndHookTests(services: () => Services): void {
  let tidings: Services;
  let client: Client;

  beforeAll(async () => {
    tidings = await useApplication(services(), 'SMS and hooks');
    client = createClient(tidings.local);
    await register({
      ada: '+4915112345001',
      grace: '+4915112345002',
      alan: '+4915112345003',
      barbara: '+4915112345004',
      donald: '+4915112345005',
      edsger: '+4915112345006',
      'no-number': undefined,
      nonsense: 'call me',
    });
  }, 240_000);
  afterEach(() => client?.sandbox('DELETE', '/api/faults'));

  async function register(people: Readonly<Record<string, string | undefined>>): Promise<void> {
    for (const [customUserId, phoneNumber] of Object.entries(people)) {
      await client.submit({
        customUserId,
        messages: [
          {
            type: 'user',
            id: `register-${customUserId}`,
            time: Date.now(),
            ...(phoneNumber && { phoneNumber }),
          },
        ],
      });
    }
    await eventually(() =>
      Promise.all(Object.keys(people).map((customUserId) => client.read(`users/${customUserId}`))),
    );
  }

  async function push(
    channel: string,
    recipients: readonly string[],
    message: Readonly<Record<string, unknown>>,
  ): Promise<string> {
    const { status, body } = await client.push({ recipients, channel, message });
    expect(status).toBe(200);
    return body.campaignId;
  }

  const completed = (campaignId: string) =>
    eventually(
      async () => {
        const campaign = await client.campaign(campaignId);
        expect(campaign.status).toBe('completed');
        expect(sumOfCounts(campaign)).toBe(campaign.counts.total);
        return campaign;
      },
      { timeoutMs: 20_000 },
    );
  const stateOf = (campaignId: string, wanted: Readonly<Record<string, unknown>>) =>
    eventually(async () => expect(await client.deliveries(campaignId)).toMatchObject([wanted]), {
      timeoutMs: 20_000,
    });
  const received = async (campaignId: string): Promise<SandboxMessage[]> =>
    (
      await client.sandbox<{ messages: SandboxMessage[] }>(
        'GET',
        `/api/messages?campaignId=${campaignId}`,
      )
    ).body.messages;
  const addFault = (fault: Readonly<Record<string, unknown>>) =>
    client.sandbox('POST', '/api/faults', { rate: 1, ...fault });
  const answerFrom = (from: string, body: string) =>
    client.sandbox<{ status: number; body: string }>('POST', '/api/inbound', { from, body });

  describe('an SMS campaign', () => {
    test('reaches numbers in E.164, and Twilio’s callbacks say delivered; each other recipient has a reason', async () => {
      const campaignId = await push('SMS', ['ada', 'grace', 'no-number', 'nonsense'], {
        body: 'Grüße 👋',
      });

      const { failures } = await completed(campaignId);

      expect(failures).toEqual({ no_address: 1, invalid_address: 1 });
      await eventually(async () =>
        expect((await client.campaign(campaignId)).counts).toMatchObject({
          total: 4,
          sent: 2,
          delivered: 2,
          successful: 2,
          failed: 2,
          unknown: 0,
        }),
      );
      const messages = await received(campaignId);
      expect(messages.map(({ to, body }) => [to, body]).sort()).toEqual([
        ['+4915112345001', 'Grüße 👋'],
        ['+4915112345002', 'Grüße 👋'],
      ]);
      const deliveries = await client.deliveries(campaignId);
      expect(new Set(messages.map(({ deliveryId }) => deliveryId))).toEqual(
        new Set(
          deliveries
            .filter(({ status }) => status === 'delivered')
            .map(({ deliveryId }) => deliveryId),
        ),
      );
    }, 30_000);

    test('with a lost response is unknown and not resent; the callback resolves it', async () => {
      await addFault({ channel: 'SMS', kind: 'drop_reply' });

      const campaignId = await push('SMS', ['ada'], { body: 'Lost, then found by callback' });

      await stateOf(campaignId, { status: 'delivered', reason: null, attempts: 1 });
      expect(await received(campaignId)).toHaveLength(1);
      expect((await client.campaign(campaignId)).counts).toMatchObject({
        total: 1,
        delivered: 1,
        unknown: 0,
      });
      const { items } = await client.read<{ items: { type: string }[] }>(
        `campaigns/${campaignId}/events`,
      );
      expect(items.map(({ type }) => type)).not.toContain('delivery.retry_wait');
    }, 30_000);

    test.each([
      ['21211', 'invalid_address', 'barbara'],
      ['21614', 'invalid_address', 'donald'],
      ['21612', 'provider_rejected', 'ada'],
    ])(
      'that Twilio refuses with %s fails as %s',
      async (code, reason, customUserId) => {
        await addFault({ channel: 'SMS', kind: 'reject', code });

        const campaignId = await push('SMS', [customUserId], { body: 'Refused' });

        await stateOf(campaignId, { status: 'failed', reason, providerCode: code });
        expect(await received(campaignId)).toEqual([]);
      },
      30_000,
    );

    test('rejected later by a carrier changes from success to failure', async () => {
      await addFault({ channel: 'SMS', kind: 'reject', code: '30005' });

      const campaignId = await push('SMS', ['edsger'], { body: 'Undelivered' });

      await stateOf(campaignId, {
        status: 'failed',
        reason: 'invalid_address',
        providerCode: '30005',
      });
      expect((await client.campaign(campaignId)).counts).toMatchObject({
        successful: 0,
        failed: 1,
      });
    }, 30_000);

    test('to an invalid number, reported at once or later, is not retried', async () => {
      for (const customUserId of ['barbara', 'donald', 'edsger']) {
        await stateOf(await push('SMS', [customUserId], { body: 'Not even tried' }), {
          status: 'failed',
          reason: 'suppressed_bounce',
          attempts: 0,
        });
      }
      await stateOf(await push('SMS', ['ada'], { body: 'Tried' }), {
        status: 'delivered',
        attempts: 1,
      });
    }, 60_000);

    test('that gets 429 waits for Retry-After and uses no attempt', async () => {
      await addFault({ channel: 'SMS', kind: 'status', status: 429, retryAfterSeconds: 1 });
      const campaignId = await push('SMS', ['ada'], { body: 'Later' });
      await stateOf(campaignId, { status: 'retry_wait', reason: 'rate_limited', attempts: 0 });

      await client.sandbox('DELETE', '/api/faults');

      await stateOf(campaignId, { status: 'delivered', attempts: 1 });
      expect(await received(campaignId)).toHaveLength(1);
    }, 30_000);
  });

  describe('a phone that replies', () => {
    test('STOP suppresses the number for every sender; START lifts it', async () => {
      await completed(await push('SMS', ['alan'], { body: 'First' }));

      expect((await answerFrom('+4915112345003', 'Stop ')).body).toMatchObject({
        status: 200,
        body: expect.stringContaining('<Response/>'),
      });
      const stopped = await push('SMS', ['alan'], { body: 'Second' });
      await stateOf(stopped, { status: 'failed', reason: 'sms_stop', attempts: 0 });
      expect(await client.read('users/alan')).toMatchObject({
        reachable: { SMS: { ok: false, reason: 'sms_stop' } },
      });

      expect((await answerFrom('+4915112345003', 'START')).body).toMatchObject({ status: 200 });
      await stateOf(await push('SMS', ['alan'], { body: 'Third' }), { status: 'delivered' });
      expect(await received(stopped)).toEqual([]);
    }, 60_000);

    test('a STOP known only to Twilio is learned from one rejection', async () => {
      await addFault({ channel: 'SMS', kind: 'reject', code: '21610' });
      await stateOf(await push('SMS', ['grace'], { body: 'Refused' }), {
        status: 'failed',
        reason: 'sms_stop',
        attempts: 1,
      });
      await client.sandbox('DELETE', '/api/faults');

      await stateOf(await push('SMS', ['grace'], { body: 'Not even tried' }), {
        status: 'failed',
        reason: 'sms_stop',
        attempts: 0,
      });
      await answerFrom('+4915112345002', 'START');
    }, 60_000);
  });

  describe('a WEB_HOOK campaign', () => {
    test('is one signed request for each recipient', async () => {
      const campaignId = await push('WEB_HOOK', ['ada', 'no-number'], {
        title: 'Hello',
        body: { order: 5 },
        customContent: { a: 1 },
      });

      expect((await completed(campaignId)).counts).toMatchObject({ total: 2, successful: 2 });
      const hooks = await received(campaignId);
      expect(hooks.map(({ to }) => to).sort()).toEqual(['ada', 'no-number']);
      for (const { data, deliveryId } of hooks) {
        expect(data).toMatchObject({
          isVerified: true,
          method: 'POST',
          headers: { 'webhook-id': deliveryId },
        });
        expect(data['hook']).toMatchObject({
          campaignId,
          deliveryId,
          channel: 'WEB_HOOK',
          title: 'Hello',
          body: { order: 5 },
          customContent: { a: 1 },
        });
      }
    }, 30_000);

    test('with a lost response is resent with the same id', async () => {
      await addFault({ channel: 'WEB_HOOK', kind: 'drop_reply' });
      const campaignId = await push('WEB_HOOK', ['ada'], { body: 'again' });
      await stateOf(campaignId, { status: 'retry_wait', reason: 'provider_unavailable' });

      await client.sandbox('DELETE', '/api/faults');

      await stateOf(campaignId, { status: 'sent', attempts: 2 });
      const hooks = await received(campaignId);
      expect(hooks).toHaveLength(2);
      expect(
        new Set(hooks.map(({ data }) => (data['headers'] as Record<string, string>)['webhook-id'])),
      ).toEqual(new Set([hooks[0]?.deliveryId]));
    }, 40_000);

    test.each([
      [
        { kind: 'status', status: 410 },
        { status: 'failed', reason: 'subscription_gone', providerCode: '410' },
      ],
      [{ kind: 'reject' }, { status: 'failed', reason: 'provider_rejected', providerCode: '400' }],
      [
        { kind: 'status', status: 503, retryAfterSeconds: 30 },
        { status: 'retry_wait', reason: 'provider_unavailable', providerCode: '503' },
      ],
      [
        { kind: 'status', status: 429 },
        { status: 'retry_wait', reason: 'rate_limited', attempts: 0 },
      ],
      [
        { kind: 'delay', delayMs: 10_000 },
        { status: 'retry_wait', reason: 'provider_timeout', providerCode: 'ETIMEDOUT' },
      ],
    ])(
      'the receiver’s %j: %j',
      async (fault, outcome) => {
        await addFault({ channel: 'WEB_HOOK', ...fault });

        await stateOf(await push('WEB_HOOK', ['ada'], { body: 'x' }), outcome);
      },
      30_000,
    );
  });

  describe('kill -9 in the middle of a campaign', () => {
    const PEOPLE = 60;
    const people = Object.fromEntries(
      Array.from({ length: PEOPLE }, (_, index) => [
        `p${index}`,
        `+49151123460${String(index).padStart(2, '0')}`,
      ]),
    );
    beforeAll(() => register(people), 60_000);

    const countsOf = async (campaignId: string) =>
      (
        await client.sandbox<{ total: number; unique: number; repeated: number }>(
          'GET',
          `/api/messages/counts?campaignId=${campaignId}`,
        )
      ).body;

    async function killInTheMiddle(
      channel: 'SMS' | 'WEB_HOOK',
      services: readonly string[],
    ): Promise<string> {
      await addFault({ channel, kind: 'delay', delayMs: 1_000 });
      const campaignId = await push(channel, Object.keys(people), {
        body: `Killed ${services.join(' and ')}`,
      });
      await eventually(async () =>
        expect((await countsOf(campaignId)).total).toBeGreaterThan(SEND_CONCURRENCY),
      );
      for (const service of services) tidings.supervisor.kill(service, 'SIGKILL');
      await client.sandbox('DELETE', '/api/faults');
      await Promise.all(services.map((service) => tidings.supervisor.ready(service)));
      await eventually(
        async () => expect((await client.campaign(campaignId)).counts.pending).toBe(0),
        { timeoutMs: 60_000 },
      );
      return campaignId;
    }

    test('no user gets an SMS twice, and each sent one is delivered', async () => {
      const campaignId = await killInTheMiddle('SMS', ['worker-sms', 'client-api']);

      await eventually(
        async () => {
          const [{ counts }, received] = [
            await client.campaign(campaignId),
            await countsOf(campaignId),
          ];
          expect(counts.delivered).toBe(received.total);
          expect(counts.delivered + counts.unknown).toBe(PEOPLE);
          expect(counts.unknown).toBeLessThanOrEqual(SEND_CONCURRENCY);
          expect(received.repeated).toBe(0);
        },
        { timeoutMs: 30_000 },
      );
    }, 120_000);

    test('every hook arrives; those with a lost response are resent with the same id', async () => {
      const campaignId = await killInTheMiddle('WEB_HOOK', ['worker-web-hook']);

      expect((await client.campaign(campaignId)).counts).toMatchObject({
        total: PEOPLE,
        sent: PEOPLE,
        unknown: 0,
        failed: 0,
      });
      const { unique, repeated } = await countsOf(campaignId);
      expect(unique).toBe(PEOPLE);
      expect(repeated).toBeLessThanOrEqual(SEND_CONCURRENCY);
    }, 120_000);
  });

  // Last, because it stops the receiver of callbacks.
  test('an SMS with a lost response is found by polling Twilio, without callbacks', async () => {
    await tidings.supervisor.remove('client-api');
    await addFault({ channel: 'SMS', kind: 'drop_reply' });

    const campaignId = await push('SMS', ['ada'], { body: 'Lost, then looked up' });

    await stateOf(campaignId, { status: 'unknown', reason: 'outcome_unknown', attempts: 1 });
    await stateOf(campaignId, { status: 'delivered', reason: null, attempts: 1 });
    expect(await received(campaignId)).toHaveLength(1);
  }, 40_000);
}
