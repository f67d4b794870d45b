import { describe, expect, test } from '@jest/globals';
import { createLogger, systemClock, systemIds } from '@tidings/platform';
import { eventually } from '@tidings/testing';
import { formatEvent, startSdkStandIn } from '../testing/sdk-stand-in.ts';
import { CONNECTION, connectShop } from '../testing/shop-connection.ts';
import { startTestSandbox } from '../testing/test-sandbox.ts';
import { createDemonstrationDevices } from './demonstration-devices.ts';
import { runDevice } from './device.ts';
import { createSdkClient } from './sdk-client.ts';
import { createEventParser } from './server-events.ts';

const logger = createLogger('sandbox', 'silent');
/** For tests in which no message arrives and no fault applies. */
const unused = { store: undefined as never, faults: undefined as never };

async function startDevice() {
  const service = await startSdkStandIn();
  const sandbox = await startTestSandbox();
  await connectShop(sandbox, { baseUrl: service.url });
  const { deviceId } = (await (
    await sandbox.request('POST', '/api/devices', { customUserId: 'ada' })
  ).json()) as { deviceId: string };
  const streamNo = (no: number) =>
    eventually(() => {
      const stream = service.streams[no - 1];
      if (stream === undefined) throw new Error(`stream ${no} is not open`);
      return stream;
    });
  const firstStream = await streamNo(1);
  return {
    service,
    sandbox,
    deviceId,
    streamNo,
    write: (text: string) => void firstStream.res.write(text),
    async [Symbol.asyncDispose]() {
      await sandbox[Symbol.asyncDispose]();
      await service[Symbol.asyncDispose]();
    },
  };
}

test('a message is stored with all its data, and only then reported as displayed', async () => {
  await using device = await startDevice();
  const { service, sandbox, deviceId, write } = device;

  write(
    formatEvent('s.1', {
      channel: 'ON_SITE',
      message: { title: 'Hello', body: '<p>Hello</p>', alignment: 'TOP', duration: 5_000 },
    }),
  );
  await eventually(() =>
    expect(service.receipts).toEqual([{ deliveryId: 'd1', event: 'displayed' }]),
  );

  const { messages } = await sandbox.messages('?channel=ON_SITE&to=ada&campaignId=c1');
  expect(messages).toEqual([
    expect.objectContaining({
      deliveryId: 'd1',
      title: 'Hello',
      body: '<p>Hello</p>',
      data: {
        html: '<p>Hello</p>',
        message: { title: 'Hello', body: '<p>Hello</p>', alignment: 'TOP', duration: 5_000 },
        deviceId,
        expiresAt: 5,
      },
      raw: expect.stringContaining('"alignment":"TOP"'),
    }),
  ]);
});

test('a broken stream is resumed after the last event; a repeated message is shown once and gets two receipts', async () => {
  await using device = await startDevice();
  const { service, sandbox, deviceId, streamNo, write } = device;
  write(formatEvent('s.1'));
  await eventually(() => expect(service.receipts).toHaveLength(1));

  (await streamNo(1)).res.destroy();
  const second = await streamNo(2);
  second.res.write(formatEvent('t.1') + formatEvent('t.2', { deliveryId: 'd2' }));
  await eventually(() => expect(service.receipts).toHaveLength(3));

  expect([second.deviceId, second.headers['last-event-id'], second.headers['x-api-key']]).toEqual([
    deviceId,
    's.1',
    'ck_of_a_test',
  ]);
  expect(await sandbox.counts()).toEqual({ total: 2, unique: 2, repeated: 0 });
});

test('events that are not messages are ignored', async () => {
  await using device = await startDevice();
  const { service, sandbox, write } = device;

  write('data: no JSON\n\ndata: {"deliveryId":"d0"}\n\nevent: other\ndata: {}\n\n: still here\n\n');
  write(formatEvent('s.1'));
  await eventually(() => expect(service.receipts).toHaveLength(1));

  expect((await sandbox.messages()).count).toBe(1);
});

test('a reset cuts the stream before a message is read, and the next stream requests it again', async () => {
  await using device = await startDevice();
  const { service, sandbox, streamNo, write } = device;
  write(formatEvent('s.1'));
  await eventually(() => expect(service.receipts).toHaveLength(1));
  await sandbox.request('POST', '/api/faults', { channel: 'IN_APP', kind: 'reset', rate: 1 });

  write(formatEvent('s.2', { deliveryId: 'd2' }));

  expect((await streamNo(2)).headers['last-event-id']).toBe('s.1');
  expect((await sandbox.messages()).count).toBe(1);
});

test('drop_reply shows the message and sends no receipt', async () => {
  await using device = await startDevice();
  const { service, sandbox, write } = device;
  await sandbox.request('POST', '/api/faults', { channel: 'IN_APP', kind: 'drop_reply', rate: 1 });

  write(formatEvent('s.1') + formatEvent('s.2', { deliveryId: 'd2', channel: 'ON_SITE' }));
  await eventually(() =>
    expect(service.receipts).toEqual([{ deliveryId: 'd2', event: 'displayed' }]),
  );
  await eventually(async () =>
    expect(await sandbox.counts('?channel=IN_APP')).toMatchObject({ total: 1 }),
  );
});

test('a delay sends the receipt late, and does not delay the shutdown', async () => {
  await using device = await startDevice();
  const { service, sandbox, write } = device;
  await sandbox.request('POST', '/api/faults', {
    channel: 'IN_APP',
    kind: 'delay',
    rate: 1,
    delayMs: 600_000,
  });

  write(formatEvent('s.1'));
  await eventually(async () => expect((await sandbox.messages()).count).toBe(1));
  await sandbox.stop();

  expect(service.receipts).toEqual([]);
});

test('a receipt that failed is sent again', async () => {
  await using device = await startDevice();
  const { service, write } = device;
  service.statuses.set('receipts', 503);

  write(formatEvent('s.1'));
  await eventually(() => expect(service.receipts).toHaveLength(1));
  service.statuses.delete('receipts');

  await eventually(() => expect(service.receipts).toHaveLength(2));
});

test('a device that the service rejects disconnects', async () => {
  await using service = await startSdkStandIn();
  service.statuses.set('stream', 404);

  const run = runDevice({
    ...unused,
    deviceId: 'd',
    customUserId: 'ada',
    calls: createSdkClient({ ...CONNECTION, baseUrl: service.url }),
    logger,
    signal: new AbortController().signal,
  });

  await expect(run).resolves.toBeUndefined();
});

test('beyond the limit the oldest device disconnects, and close disconnects all', async () => {
  await using service = await startSdkStandIn();
  const shop = { ...CONNECTION, baseUrl: service.url };
  const devices = createDemonstrationDevices({
    ...unused,
    logger,
    clock: systemClock,
    ids: systemIds,
    devicesMax: 2,
  });

  for (const customUserId of ['ada', 'grace', 'alan']) {
    await devices.add(shop, { customUserId, kind: 'none', subscribe: unused.store });
    await eventually(() => expect(service.streams).toHaveLength(service.registered.length));
  }
  await eventually(() =>
    expect(service.streams.map(({ res }) => res.closed)).toEqual([true, false, false]),
  );
  await devices.close();

  await eventually(() => expect(service.openStreams()).toBe(0));
});

describe('server-events', () => {
  test.each([1, 2, 3, 7, 1_000])(
    'events are parsed from chunks of %i characters, with any line breaks',
    (size) => {
      const text =
        'retry: 1000\n\n: still here\n\nid: s.1\nevent: message\ndata: {"a":"x\u2028y: z"}\n\nid: s.2\r\ndata:one\r\ndata: two\r\n\r\ndata: half';
      const parse = createEventParser();

      const events = text
        .match(new RegExp(`.{1,${size}}`, 'gsu'))
        ?.flatMap((piece) => parse(piece));

      expect(events).toEqual([
        { id: 's.1', event: 'message', data: '{"a":"x\u2028y: z"}' },
        { id: 's.2', event: 'message', data: 'one\ntwo' },
      ]);
    },
  );
});
