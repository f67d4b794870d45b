import { afterAll, describe, expect, test } from '@jest/globals';
import { deleteDevice } from '@tidings/people/devices/device-users';
import {
  offerTo,
  openStream,
  registerUser,
  type MessageStream,
} from '../../testing/inbox-messages.ts';
import { callSdk, createSdkApplication, createTestDevice } from '../../testing/sdk-application.ts';
import { startTestClientApi } from '../../testing/test-client-api.ts';

const api = await startTestClientApi({ inbox: { pollIntervalMs: 500 } });
const { db } = api;
const open = new Set<MessageStream>();
afterAll(async () => {
  for (const stream of open) stream.close();
  await api[Symbol.asyncDispose]();
});

async function withAda() {
  const own = await createSdkApplication(db);
  await registerUser(db, own.applicationId);
  const { deviceId } = await createTestDevice(db, {
    applicationId: own.applicationId,
    customUserId: 'ada',
  });
  const stream = async (lastEventId?: string, query = '') => {
    const opened = await openStream(api.url, {
      headers: own.headers,
      deviceId,
      lastEventId,
      query,
    });
    expect(opened.status).toBe(200);
    open.add(opened);
    return opened;
  };
  const fetched = async () =>
    (
      (await callSdk(api, `messages?deviceId=${deviceId}&wait=0`, own)).body as {
        messages: { deliveryId: string }[];
      }
    ).messages;
  return { ...own, deviceId, stream, fetched };
}

describe('GET /sdk/v1/messages/stream', () => {
  test('sends waiting messages and later ones, each once', async () => {
    const { applicationId, stream, fetched } = await withAda();
    const first = await offerTo(db, { applicationId });
    const reading = await stream();
    expect((await reading.next()).data).toMatchObject({
      deliveryId: first.deliveryId,
      campaignId: first.campaignId,
      channel: 'IN_APP',
      message: { title: 'Hello' },
    });

    const second = await offerTo(db, { applicationId, channel: 'ON_SITE' });

    expect((await reading.next()).data).toMatchObject({
      deliveryId: second.deliveryId,
      channel: 'ON_SITE',
    });
    expect(await fetched()).toEqual([]);
  });

  test('sends more messages than one statement leases', async () => {
    const { applicationId, stream } = await withAda();
    const offered: string[] = [];
    for (let number = 0; number < 12; number += 1)
      offered.push((await offerTo(db, { applicationId })).deliveryId);
    const reading = await stream();

    const got: string[] = [];
    while (got.length < 12) got.push((await reading.next()).data.deliveryId);

    expect(got.toSorted()).toEqual(offered.toSorted());
  });

  test('reopened with the last id, it sends exactly the lost messages at once', async () => {
    const { applicationId, stream, fetched } = await withAda();
    const [first, second] = [
      await offerTo(db, { applicationId }),
      await offerTo(db, { applicationId }),
    ];
    const broken = await stream();
    const got = await broken.next();
    await broken.next();
    broken.close();
    expect(await fetched()).toEqual([]);

    const again = await stream(got.id);

    const lost = [first, second].find(({ deliveryId }) => deliveryId !== got.data.deliveryId);
    expect((await again.next()).data.deliveryId).toBe(lost?.deliveryId);
    expect(await fetched()).toEqual([]);
  });

  test('with a limit it ends after that many, and leases no others', async () => {
    const { applicationId, stream, fetched } = await withAda();
    const offered = [
      await offerTo(db, { applicationId }),
      await offerTo(db, { applicationId }),
      await offerTo(db, { applicationId }),
    ];

    const reading = await stream(undefined, '&limit=2');
    const got = [await reading.next(), await reading.next()];

    expect(await reading.ended()).toBe(true);
    expect(got.map(({ data }) => data.deliveryId)).toEqual(
      offered.slice(0, 2).map(({ deliveryId }) => deliveryId),
    );
    expect((await fetched()).map(({ deliveryId }) => deliveryId)).toEqual(
      offered.slice(2).map(({ deliveryId }) => deliveryId),
    );
  });

  test.each([
    'x',
    '1',
    `${'0'.repeat(36)}.1`,
    `00000000-0000-7000-8000-000000000000.99999999999999999999`,
  ])('an invalid last id (%j) is ignored', async (lastEventId) => {
    const { applicationId, stream } = await withAda();
    const { deliveryId } = await offerTo(db, { applicationId });

    expect((await (await stream(lastEventId)).next()).data.deliveryId).toBe(deliveryId);
  });

  test('ends when its device is deleted', async () => {
    const { applicationId, deviceId, stream } = await withAda();
    const reading = await stream();

    await deleteDevice(db, { applicationId, deviceId });

    expect(await reading.ended()).toBe(true);
  });

  test('the oldest stream of a device ends when it has too many', async () => {
    const { stream } = await withAda();
    const [first] = [
      await stream(),
      await stream(),
      await stream(),
      await stream(),
      await stream(),
      await stream(),
    ];

    await stream();

    expect(await first?.ended()).toBe(true);
  });
});
