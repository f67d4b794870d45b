import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openStream, type MessageStream } from '@tidings/client-api/src/testing/inbox-messages.ts';
import { updateApplication } from '@tidings/people/update-application';
import { connectDatabase } from '@tidings/postgres/database';
import { eventually } from '@tidings/testing';
import { shareTidings } from '../stack/share-tidings.ts';
import { createClient, sumOfCounts, type Client } from './support/client.ts';

type Running = Awaited<ReturnType<typeof shareTidings>>;

const DEVICE = 'the-browser-of-ada';
/**
 * Shorter than the poll interval of devices, so that only a push from the service can be this fast.
 */
const TOLD_WITHIN_MS = 10_000;

let tidings: Running;
let client: Client;
let headers: Readonly<Record<string, string>>;
const streams = new Set<MessageStream>();

beforeAll(async () => {
  // A test send at start enables both channels, through worker and inbox.
  tidings = await shareTidings('Inbox');
  client = createClient(tidings.local);
  const { applicationId, clientKey } = tidings.local;
  headers = { 'X-Application-Id': applicationId, 'X-API-Key': clientKey };
  await client.submit({
    customUserId: 'ada',
    messages: [{ type: 'user', id: 'register-ada', time: Date.now() }],
  });
  await eventually(() => client.read('users/ada'));
}, 240_000);
afterAll(() => {
  for (const stream of streams) stream.close();
});

async function post(
  path: string,
  body: unknown,
): Promise<{ readonly status: number; readonly body: unknown }> {
  return postTo(`/sdk/v1/${path}`, body);
}

async function postTo(
  path: string,
  body: unknown,
): Promise<{ readonly status: number; readonly body: unknown }> {
  const answer = await fetch(`${tidings.local.baseUrl}${path}`, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: answer.status, body: await answer.json() };
}

async function registerDevice(): Promise<void> {
  const { status } = await post('devices', { deviceId: DEVICE, kind: 'none', customUserId: 'ada' });
  if (status !== 200) throw new Error(`the device got ${status}`);
}

async function push(channel: string): Promise<string> {
  const { status, body } = await client.push({
    recipients: ['ada', 'unregistered'],
    channel,
    message: { title: 'Hello', body: '<p>Hello, Ada</p>' },
  });
  expect(status).toBe(200);
  return body.campaignId;
}

describe('the key that every page shows', () => {
  test.each(['IN_APP', 'ON_SITE'])(
    'does not give a device the messages of another user by %s',
    async (channel) => {
      const deviceId = `an anonymous device, ${channel}`;
      const { body } = await post('devices', { deviceId, kind: 'none' });
      const { serviceUserId } = body as { readonly serviceUserId: string };
      expect(body).toEqual({ serviceUserId: expect.any(String), isProved: false });
      expect((await post('devices', { deviceId, kind: 'none', customUserId: 'ada' })).status).toBe(
        403,
      );

      const claim = {
        customUserId: 'ada',
        serviceUserId,
        messages: [{ type: 'user', id: `claim by ${channel}`, time: Date.now() }],
      };
      const { requestId } = (await postTo('/', claim)).body as { readonly requestId: string };
      await eventually(async () => {
        const { messages } = (await client.read(`ingest/${requestId}`)) as {
          readonly messages: readonly object[];
        };
        expect(messages).toMatchObject([{ outcome: 'processed', reason: 'identity_unproved' }]);
      });
      const campaignId = await push(channel);
      await eventually(
        async () =>
          expect((await client.campaign(campaignId)).counts).toMatchObject({ waiting: 1 }),
        { timeoutMs: 30_000 },
      );

      const answer = await fetch(
        `${tidings.local.baseUrl}/sdk/v1/messages?deviceId=${encodeURIComponent(deviceId)}&wait=0`,
        { headers },
      );

      expect([answer.status, await answer.json()]).toEqual([200, { messages: [] }]);
      expect(await client.read('users/ada')).toMatchObject({ devices: [] });
      expect(
        (
          await client.call(
            'POST',
            `${tidings.local.baseUrl}/api/v1/campaigns/${campaignId}/cancel`,
          )
        ).status,
      ).toBe(200);
    },
    90_000,
  );
});

describe.each(['IN_APP', 'ON_SITE'])(
  'where a bare customUserId is believed, a message by %s',
  (channel) => {
    beforeAll(async () => {
      const { applicationId, databaseUrl } = tidings.local;
      const db = connectDatabase({ databaseUrl, poolMax: 1, applicationName: 'test' });
      await updateApplication(db, applicationId, { settings: { userTokens: 'optional' } });
      await db.close();
      // Key settings are cached for a short time.
      await eventually(registerDevice, { timeoutMs: 90_000 });
    }, 120_000);

    test('waits, reaches a device when it listens, and is counted when displayed', async () => {
      const stream = await openStream(tidings.local.baseUrl, { headers, deviceId: DEVICE });
      streams.add(stream);
      const campaignId = await push(channel);

      const begunAt = performance.now();
      const { data } = await stream.next();
      expect(performance.now() - begunAt).toBeLessThan(TOLD_WITHIN_MS);
      expect(data).toMatchObject({
        campaignId,
        channel,
        message: { title: 'Hello', body: '<p>Hello, Ada</p>' },
      });
      expect((await client.campaign(campaignId)).counts).toMatchObject({
        waiting: 1,
        successful: 0,
      });

      expect(
        await post('receipts', {
          deviceId: DEVICE,
          receipts: [{ deliveryId: data.deliveryId, event: 'displayed' }],
        }),
      ).toMatchObject({ status: 200, body: { results: [{ status: 'noted' }] } });

      const campaign = await eventually(
        async () => {
          const found = await client.campaign(campaignId);
          expect(found.status).toBe('completed');
          return found;
        },
        { timeoutMs: 30_000 },
      );
      expect(campaign.counts).toMatchObject({
        total: 2,
        waiting: 0,
        displayed: 1,
        successful: 1,
        failed: 1,
      });
      expect(campaign.failures).toEqual({ unknown_user: 1 });
      expect(sumOfCounts(campaign)).toBe(2);
      stream.close();
    }, 90_000);
  },
);
