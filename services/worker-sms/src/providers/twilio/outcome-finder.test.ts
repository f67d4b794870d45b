import { describe, expect, test } from '@jest/globals';
import type { DeliveryToPoll } from '@tidings/channel-worker';
import { readStatus, type FoundMessage } from './outcome-finder.ts';
import { createTestChannel, outgoingSms, startTwilio } from './testing/twilio.ts';

const createdAt = Date.UTC(2026, 0, 1, 12);
const delivery = (overrides: Partial<DeliveryToPoll> = {}): DeliveryToPoll => ({
  ...outgoingSms('http://127.0.0.1:1'),
  testAddress: null,
  account: null,
  profile: {},
  createdAt,
  unknownSince: createdAt + 10_000,
  rivals: 0,
  ...overrides,
});
const message = (overrides: Partial<FoundMessage> = {}): FoundMessage => ({
  sid: 'SM1',
  body: 'Grüße',
  direction: 'outbound-api',
  status: 'delivered',
  errorCode: null,
  errorMessage: null,
  dateCreated: new Date(createdAt + 5_000),
  ...overrides,
});
const knows =
  (...ids: string[]) =>
  async () =>
    new Set(ids);

describe('a message at Twilio matches the polled delivery', () => {
  test('when it is the only one that can be', async () => {
    const others = [
      message({ sid: 'SM2', body: 'Another text' }),
      message({ sid: 'SM3', direction: 'inbound' }),
      message({ sid: 'SM4', dateCreated: new Date(createdAt - 61_000) }),
      message({ sid: 'SM5' }),
      // Created after our send ended: another delivery's, whose response is still in flight.
      message({ sid: 'SM6', dateCreated: new Date(createdAt + 41_000) }),
      message({ sid: 'SM7', dateCreated: null }),
    ];

    expect(await readStatus(delivery(), [...others, message()], knows('SM5'))).toEqual({
      state: 'delivered',
      providerId: 'SM1',
      providerCode: 'delivered',
      providerMessage: 'found at Twilio',
    });
  });

  test.each([
    ['queued', null, { state: 'sent' }],
    [
      'undelivered',
      30005,
      {
        state: 'failed',
        reason: 'invalid_address',
        suppression: 'suppressed_bounce',
        providerCode: '30005',
      },
    ],
    ['failed', 30036, { state: 'expired' }],
  ])('%s, code %j', async (status, errorCode, news) => {
    expect(await readStatus(delivery(), [message({ status, errorCode })], knows())).toMatchObject(
      news,
    );
  });

  test.each([
    ['nothing is there', []],
    ['all are known as others’', [message()]],
    ['two could be it', [message({ sid: 'SM2' }), message({ sid: 'SM3' })]],
  ])('never when %s', async (_name, messages) => {
    expect(await readStatus(delivery(), messages, knows('SM1'))).toBeNull();
  });

  test('never when another delivery could be it as well: Twilio is not even asked', async () => {
    await using twilio = await startTwilio();
    await using channel = createTestChannel();

    const news = await channel.outcomePoller?.find(
      { ...delivery({ rivals: 1 }), settings: outgoingSms(twilio.url).settings },
      knows(),
    );

    expect([news, twilio.calls]).toEqual([null, []]);
  });
});

test('Twilio is asked for messages to the number since the delivery was made', async () => {
  await using twilio = await startTwilio((res) => {
    const sid = 'SM9';
    res.writeHead(200, { 'Content-Type': 'application/json' });
    res.end(
      JSON.stringify({
        messages: [
          {
            sid,
            body: 'Grüße',
            direction: 'outbound-api',
            status: 'sent',
            error_code: null,
            date_created: 'Thu, 01 Jan 2026 12:00:01 +0000',
          },
        ],
        next_page_uri: null,
      }),
    );
  });
  await using channel = createTestChannel();

  const news = await channel.outcomePoller?.find(
    { ...delivery(), settings: outgoingSms(twilio.url).settings },
    knows(),
  );

  expect(news).toMatchObject({ state: 'sent', providerId: 'SM9' });
  const asked = new URL(twilio.calls[0]?.url ?? '', twilio.url);
  expect([asked.searchParams.get('To'), asked.searchParams.get('DateSent>')]).toEqual([
    '+4915112345001',
    '2026-01-01T11:59:00Z',
  ]);
});
