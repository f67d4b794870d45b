import { expect, test } from '@jest/globals';
import { eventually } from '@tidings/testing';
import webPush from 'web-push';
import { performAction } from '../../testing/perform-action.ts';
import { formatEvent, startSdkStandIn } from '../../testing/sdk-stand-in.ts';
import { CONNECTION, connectShop } from '../../testing/shop-connection.ts';
import { campaignMail, startTestSandbox } from '../../testing/test-sandbox.ts';

test('an e-mail is opened by its pixel and clicked by its links, only those of the service, with a mail program’s user agent', async () => {
  await using service = await startSdkStandIn();
  await using sandbox = await startTestSandbox();
  await connectShop(sandbox, { baseUrl: service.url });
  const html = `<img src="https://elsewhere.example/t/o/x"><a href="${service.url}/t/c/first.a_1">1</a><a href="${service.url}/t/c/second">2</a><img src="${service.url}/t/o/picture">`;
  await sandbox.send({ ...campaignMail('ada@example.com', 'c1', 'd1'), html });

  const answers = [
    await performAction(sandbox, { action: 'opened' }),
    await performAction(sandbox, { action: 'clicked' }),
    await performAction(sandbox, { action: 'clicked', choice: 1 }),
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

test('a message on a screen is clicked and dismissed by receipts of its device', async () => {
  await using service = await startSdkStandIn();
  await using sandbox = await startTestSandbox();
  await connectShop(sandbox, { baseUrl: service.url });
  const { deviceId } = (await (
    await sandbox.request('POST', '/api/devices', { customUserId: 'ada' })
  ).json()) as { deviceId: string };
  await eventually(() => expect(service.streams).toHaveLength(1));
  service.streams[0]?.res.write(formatEvent('s.1', { channel: 'ON_SITE' }));
  await eventually(() => expect(service.receipts).toHaveLength(1));

  for (const name of ['clicked', 'dismissed'])
    expect((await performAction(sandbox, { action: name })).status).toBe(200);

  expect(service.receipts.map(({ event }) => event)).toEqual(['displayed', 'clicked', 'dismissed']);
  expect(new Set(service.tellers)).toEqual(new Set([deviceId]));
});

test('a browser reports displayed by itself; a click leads to the target of the notification or its button', async () => {
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

  expect(await performAction(sandbox, { action: 'clicked', choice: 0 })).toEqual({
    status: 200,
    body: { leadsTo: 'https://shop.example/more' },
  });
  expect(await performAction(sandbox, { action: 'clicked' })).toEqual({
    status: 200,
    body: { leadsTo: 'https://shop.example/' },
  });

  expect(service.receipts.slice(1)).toEqual([
    { deliveryId: 'd1', event: 'clicked', buttonIndex: 0 },
    { deliveryId: 'd1', event: 'clicked' },
  ]);
  expect(new Set(service.tellers)).toEqual(new Set([deviceId]));
});

test.each([
  [{ action: 'eaten' }, '/action'],
  [{ action: 'clicked', choice: -1 }, '/choice'],
  [{ action: 'clicked', to: '' }, '/to'],
])('%j is not a valid action', async (action, pointer) => {
  await using sandbox = await startTestSandbox();

  expect(await performAction(sandbox, action)).toMatchObject({
    status: 400,
    body: { errors: [expect.objectContaining({ pointer })] },
  });
});

test.each([
  ['opened', undefined],
  ['clicked', undefined],
  ['clicked', 1],
  ['dismissed', undefined],
])('an untracked e-mail cannot be %s (%j)', async (name, choice) => {
  await using sandbox = await startTestSandbox();
  await connectShop(sandbox);
  // The target is not fetched: nothing listens there.
  await sandbox.send({
    ...campaignMail('ada@example.com', 'c1', 'd1'),
    html: `<a href="https://elsewhere.example/t/c/x">x</a>${name === 'clicked' ? '' : CONNECTION.baseUrl}`,
  });

  expect(
    await performAction(sandbox, { action: name, ...(choice !== undefined && { choice }) }),
  ).toMatchObject({
    status: 400,
    body: { errors: [expect.objectContaining({ pointer: '/action' })] },
  });
});

test('a message that was not received, or is for another recipient, is not found', async () => {
  await using sandbox = await startTestSandbox();
  await connectShop(sandbox);
  await sandbox.send(campaignMail('ada@example.com', 'c1', 'd1'));

  for (const other of [{ deliveryId: 'd2' }, { campaignId: 'c2' }, { to: 'grace@example.com' }])
    expect(await performAction(sandbox, { action: 'opened', ...other })).toMatchObject({
      status: 404,
    });
});

test('GET /api/actions answers 405', async () => {
  await using sandbox = await startTestSandbox();

  const response = await sandbox.request('GET', '/api/actions');

  expect([response.status, response.headers.get('Allow')]).toEqual([405, 'POST']);
});

test('before the shop is connected, actions fail with 409', async () => {
  await using sandbox = await startTestSandbox();
  await sandbox.send(campaignMail('ada@example.com', 'c1', 'd1'));

  expect(await performAction(sandbox, { action: 'opened' })).toMatchObject({
    status: 409,
    body: { detail: expect.stringContaining('PUT /api/shop') },
  });
});

test('an action of an unregistered device fails with 409', async () => {
  await using service = await startSdkStandIn();
  await using sandbox = await startTestSandbox();
  await connectShop(sandbox, { baseUrl: service.url });
  await sandbox.request('POST', '/api/devices', { customUserId: 'ada' });
  await eventually(() => expect(service.streams).toHaveLength(1));
  service.streams[0]?.res.write(formatEvent('s.1'));
  await eventually(() => expect(service.receipts).toHaveLength(1));
  service.statuses.set('receipts', 404);

  expect(await performAction(sandbox, { action: 'clicked' })).toMatchObject({
    status: 409,
    body: { detail: expect.stringContaining('POST /api/devices') },
  });
});

test('a request that another origin can send without a preflight is rejected', async () => {
  await using sandbox = await startTestSandbox();

  const answer = await fetch(`${sandbox.url}/api/actions`, {
    method: 'POST',
    headers: { 'Content-Type': 'text/plain' },
    body: '{}',
  });

  expect(answer.status).toBe(415);
});

test('while the service is down, actions fail with 503', async () => {
  await using sandbox = await startTestSandbox();
  await connectShop(sandbox);
  await sandbox.send({
    ...campaignMail('ada@example.com', 'c1', 'd1'),
    html: `<img src="${CONNECTION.baseUrl}/t/o/x">`,
  });

  expect(await performAction(sandbox, { action: 'opened' })).toMatchObject({ status: 503 });
});
