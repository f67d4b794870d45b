import { afterAll, describe, expect, test } from '@jest/globals';
import { identifyDevice, logOutDevice } from '@tidings/people/devices/device-users';
import { readUser } from '@tidings/people/users';
import { systemClock } from '@tidings/platform';
import { eventually } from '@tidings/testing';
import { offerTo, registerUser, type ReceivedMessage } from '../../testing/inbox-messages.ts';
import { callSdk, createSdkApplication, createTestDevice } from '../../testing/sdk-application.ts';
import { startTestClientApi } from '../../testing/test-client-api.ts';

const api = await startTestClientApi({ inbox: { pollIntervalMs: 500 } });
const { db } = api;
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});

async function withAda() {
  const own = await createSdkApplication(db);
  await registerUser(db, own.applicationId);
  const device = (customUserId: string | null = 'ada') =>
    createTestDevice(db, { applicationId: own.applicationId, customUserId });
  const messages = async (deviceId: string, query = '') => {
    const { status, body } = await callSdk(api, `messages?deviceId=${deviceId}${query}`, {
      headers: own.headers,
    });
    expect(status).toBe(200);
    return (body as { readonly messages: readonly ReceivedMessage[] }).messages;
  };
  return { ...own, device, messages };
}

describe('GET /sdk/v1/messages', () => {
  test('returns waiting messages at once, unchanged, with integers of any size', async () => {
    const { applicationId, headers, device } = await withAda();
    const html = '<script>alert(1)</script><b onclick="x()">é &amp; "</b>\n';
    const offered = await offerTo(db, {
      applicationId,
      channel: 'ON_SITE',
      message: { title: 'Hello', body: html, duration: 5_000, alignment: 'TOP' },
    });
    await db.sql.query(
      `update campaigns set message = message || '{"n":9007199254740993}' where id = $1`,
      [offered.campaignId],
    );
    const { deviceId } = await device();

    const { body, text } = await callSdk(api, `messages?deviceId=${deviceId}`, { headers });

    expect(text).toContain('9007199254740993');
    expect((body as { readonly messages: unknown }).messages).toEqual([
      {
        deliveryId: offered.deliveryId,
        campaignId: offered.campaignId,
        channel: 'ON_SITE',
        expiresAt: offered.expiresAt,
        message: expect.objectContaining({
          title: 'Hello',
          body: html,
          duration: 5_000,
          alignment: 'TOP',
        }),
      },
    ]);
  });

  test('returns a message as it was rendered for its user', async () => {
    const { applicationId, headers, device } = await withAda();
    const message = { body: 'Hello {{ user.firstName }}' };
    const personal = await offerTo(db, { applicationId, message });
    const plain = await offerTo(db, { applicationId, message });
    await db.sql.query(
      `update inbox set message = '{"body":"Hello Ada","n":9007199254740993}' where delivery_id = $1`,
      [personal.deliveryId],
    );
    const { deviceId } = await device();

    const { body, text } = await callSdk(api, `messages?deviceId=${deviceId}`, { headers });

    expect(text).toContain('9007199254740993');
    expect((body as { readonly messages: readonly ReceivedMessage[] }).messages).toMatchObject([
      { deliveryId: personal.deliveryId, message: { body: 'Hello Ada' } },
      { deliveryId: plain.deliveryId, message },
    ]);
  });

  test('returns a message that arrives while waiting, on notification', async () => {
    const { applicationId, device, messages } = await withAda();
    const { deviceId, userId } = await device();
    const waiting = messages(deviceId);

    const { deliveryId } = await offerTo(db, { applicationId });
    api.inboxSubscriptions.notify([userId]);

    expect((await waiting).map((message) => message.deliveryId)).toEqual([deliveryId]);
  });

  test('finds a message without notification by polling', async () => {
    const { applicationId, device, messages } = await withAda();
    const waiting = messages((await device()).deviceId);

    const { deliveryId } = await offerTo(db, { applicationId });

    expect((await waiting).map((message) => message.deliveryId)).toEqual([deliveryId]);
  });

  test('returns nothing when no message, or only another channel’s, arrives', async () => {
    const { applicationId, device, messages } = await withAda();
    await offerTo(db, { applicationId, channel: 'IN_APP' });
    const { deviceId } = await device();

    expect(await messages(deviceId, '&wait=0&channel=ON_SITE')).toEqual([]);
    expect(await messages((await device(null)).deviceId, '&wait=0')).toEqual([]);
    expect(await messages(deviceId, '&wait=0&channel=IN_APP')).toHaveLength(1);
  });

  test('returns at most the limit; the next request gets the others', async () => {
    const { applicationId, device, messages } = await withAda();
    const offered = [
      await offerTo(db, { applicationId }),
      await offerTo(db, { applicationId }),
    ].map(({ deliveryId }) => deliveryId);
    const [phone, browser] = [await device(), await device()];

    const first = await messages(phone.deviceId, '&limit=1');
    const second = await messages(browser.deviceId, '&limit=10');

    expect([first, second].map((list) => list.map(({ deliveryId }) => deliveryId))).toEqual([
      [offered[0]],
      [offered[1]],
    ]);
  });

  test('one of two waiting devices gets a message', async () => {
    const { applicationId, device, messages } = await withAda();
    const [phone, browser] = [await device(), await device()];
    const both = Promise.all([phone, browser].map(({ deviceId }) => messages(deviceId, '&wait=3')));

    await offerTo(db, { applicationId });
    api.inboxSubscriptions.notify([phone.userId]);

    expect((await both).map((messagesOf) => messagesOf.length).toSorted()).toEqual([0, 1]);
  });

  test('a device that changed to the user gets the message on its open connection, one that left does not', async () => {
    const { applicationId, device, messages } = await withAda();
    const [stranger, gone] = [await device(null), await device()];
    const [waiting, leaving] = [messages(stranger.deviceId), messages(gone.deviceId, '&wait=2')];
    await logOutDevice(db, systemClock, gone);
    await identifyDevice(db, systemClock, { ...stranger, customUserId: 'ada' });

    const { deliveryId } = await offerTo(db, { applicationId });
    api.inboxSubscriptions.notify([(await readUser(db, applicationId, 'ada'))?.userId ?? '']);

    expect((await waiting).map((message) => message.deliveryId)).toEqual([deliveryId]);
    expect(await leaving).toEqual([]);
  });

  test('a disconnected caller releases the message to the next at once', async () => {
    const { applicationId, device, messages, headers } = await withAda();
    const [first, second] = [await device(), await device()];
    const abort = new AbortController();
    const waiting = fetch(`${api.url}/sdk/v1/messages?deviceId=${first.deviceId}`, {
      headers,
      signal: abort.signal,
    }).catch(() => 'gone');
    abort.abort();
    await waiting;

    const { deliveryId } = await offerTo(db, { applicationId });

    await eventually(async () =>
      expect(
        (await messages(second.deviceId, '&wait=1')).map((message) => message.deliveryId),
      ).toEqual([deliveryId]),
    );
  });
});
