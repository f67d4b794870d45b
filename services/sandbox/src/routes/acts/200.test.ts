import { expect, test } from '@jest/globals';
import { eventually } from '@tidings/testing';
import webPush from 'web-push';
import { act } from '../../testing/act.ts';
import { eventOf, startSdkStandIn } from '../../testing/sdk-stand-in.ts';
import { connectShop } from '../../testing/shop-connection.ts';
import { campaignMail, startTestSandbox } from '../../testing/test-sandbox.ts';

test('a mail is opened by its picture and clicked by its links, the service’s own alone, as by a person’s program', async () => {
  await using service = await startSdkStandIn();
  await using sandbox = await startTestSandbox();
  await connectShop(sandbox, { baseUrl: service.url });
  const html = `<img src="https://elsewhere.example/t/o/x"><a href="${service.url}/t/c/first.a_1">1</a><a href="${service.url}/t/c/second">2</a><img src="${service.url}/t/o/picture">`;
  await sandbox.send({ ...campaignMail('ada@example.com', 'c1', 'd1'), html });

  const answers = [
    await act(sandbox, { act: 'opened' }),
    await act(sandbox, { act: 'clicked' }),
    await act(sandbox, { act: 'clicked', choice: 1 }),
  ];

  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(answers.at(-1)?.body).toEqual({ leadsTo: 'https://shop.example/sale' });
  expect(service.fetched.map(({ path }) => path)).toEqual([
    '/t/o/picture',
    '/t/c/first.a_1',
    '/t/c/second',
  ]);
  for (const { userAgent } of service.fetched) expect(userAgent).toMatch(/^Mozilla\/5\.0 \(/);
});

test('a message on a screen is clicked and put away by receipts of the device that shows it', async () => {
  await using service = await startSdkStandIn();
  await using sandbox = await startTestSandbox();
  await connectShop(sandbox, { baseUrl: service.url });
  const { deviceId } = (await (
    await sandbox.request('POST', '/api/devices', { customUserId: 'ada' })
  ).json()) as { deviceId: string };
  await eventually(() => expect(service.streams).toHaveLength(1));
  service.streams[0]?.res.write(eventOf('s.1', { channel: 'ON_SITE' }));
  await eventually(() => expect(service.receipts).toHaveLength(1));

  for (const name of ['clicked', 'dismissed'])
    expect((await act(sandbox, { act: name })).status).toBe(200);

  expect(service.receipts.map(({ event }) => event)).toEqual(['displayed', 'clicked', 'dismissed']);
  expect(new Set(service.tellers)).toEqual(new Set([deviceId]));
});

test('a browser tells by itself what it has shown; a click leads where the notification, or its button, says', async () => {
  const vapid = { subject: 'mailto:ops@example.com', ...webPush.generateVAPIDKeys() };
  await using service = await startSdkStandIn({ vapidPublicKey: vapid.publicKey });
  await using sandbox = await startTestSandbox();
  await connectShop(sandbox, { baseUrl: service.url });
  const { deviceId } = (await (
    await sandbox.request('POST', '/api/devices', { customUserId: 'ada', kind: 'web_push' })
  ).json()) as { deviceId: string };
  const subscription = service.registered[0]?.subscription as webPush.PushSubscription;
  const text = JSON.stringify({
    deliveryId: 'd1',
    campaignId: 'c1',
    body: 'Hello',
    url: 'https://shop.example/',
    buttons: [{ label: 'More', link: 'https://shop.example/more' }],
  });
  const { headers, body } = webPush.generateRequestDetails(subscription, text, {
    vapidDetails: vapid,
    TTL: 60,
  });
  const { 'Content-Length': _length, ...rest } = headers as Record<string, string>;
  expect(
    (
      await fetch(subscription.endpoint, {
        method: 'POST',
        headers: rest,
        body: new Uint8Array(body as Buffer),
      })
    ).status,
  ).toBe(201);
  await eventually(() =>
    expect(service.receipts).toEqual([{ deliveryId: 'd1', event: 'displayed' }]),
  );

  expect(await act(sandbox, { act: 'clicked', choice: 0 })).toEqual({
    status: 200,
    body: { leadsTo: 'https://shop.example/more' },
  });
  expect(await act(sandbox, { act: 'clicked' })).toEqual({
    status: 200,
    body: { leadsTo: 'https://shop.example/' },
  });

  expect(service.receipts.slice(1)).toEqual([
    { deliveryId: 'd1', event: 'clicked', buttonIndex: 0 },
    { deliveryId: 'd1', event: 'clicked' },
  ]);
  expect(new Set(service.tellers)).toEqual(new Set([deviceId]));
});
