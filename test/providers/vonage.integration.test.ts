import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { listDeliveries } from '@tidings/campaign-reports/list-deliveries';
import { eventually } from '@tidings/testing';
import { createSubject, sendSubject, startErrorRig, type ErrorRig } from '../errors/rig.ts';

const PHONE = '+447700900001';
let rig: ErrorRig;
beforeAll(async () => {
  rig = await startErrorRig();
}, 60_000);
afterAll(async () => {
  await rig?.[Symbol.asyncDispose]();
});

/** An application that has sent an SMS by Vonage, from a number of its own. */
async function sendByVonage(from: string) {
  const subject = await createSubject(rig, 'SMS', { provider: 'vonage', settings: { from } });
  const { result } = await sendSubject(rig, 'SMS', subject);
  const { applicationId, campaignId } = subject.campaign;
  return {
    result,
    delivery: async () => (await listDeliveries(rig.db, campaignId, { limit: 1 }))[0],
    suppressions: async () =>
      (
        await rig.db.sql.query(
          'select channel, address, reason from suppressions where application_id = $1',
          [applicationId],
        )
      ).rows,
  };
}

const reply = (to: string, body: string) =>
  rig.call<{ readonly status: number }>('POST', '/api/inbound', { from: PHONE, to, body });

test('an SMS by Vonage is sent, and its receipts say submitted and delivered', async () => {
  const { result, delivery } = await sendByVonage('+15005550010');

  expect(result).toMatchObject({ status: 'sent', providerId: expect.any(String) });
  await eventually(async () =>
    expect(await delivery()).toMatchObject({ status: 'delivered', providerCode: 'delivered' }),
  );
  const { messages } = await rig.call<{ readonly messages: readonly object[] }>(
    'GET',
    '/api/messages?channel=SMS',
  );
  expect(messages).toMatchObject([
    { to: PHONE, deliveryId: (await delivery())?.deliveryId, data: { from: '+15005550010' } },
  ]);
});

describe('a phone that answers', () => {
  test('STOP is suppressed for the application that sends from the number, until START', async () => {
    const mine = await sendByVonage('+15005550011');
    const other = await sendByVonage('+15005550012');

    expect((await reply('+15005550011', 'Stop')).status).toBe(200);
    expect(await mine.suppressions()).toEqual([
      { channel: 'SMS', address: PHONE, reason: 'sms_stop' },
    ]);
    expect(await other.suppressions()).toEqual([]);

    expect((await reply('+15005550011', 'HELP')).status).toBe(200);
    expect(await mine.suppressions()).toHaveLength(1);

    expect((await reply('+15005550011', 'START')).status).toBe(200);
    expect(await mine.suppressions()).toEqual([]);
  });

  test('with a signature of another secret changes nothing', async () => {
    const { suppressions } = await sendByVonage('+15005550013');
    await rig.db.sql.query(
      `update channel_settings set settings = settings || '{"apiKey":"another"}'
       where channel = 'SMS' and settings ->> 'from' = '+15005550013'`,
    );

    expect((await reply('+15005550013', 'STOP')).status).toBe(200);
    expect(await suppressions()).toEqual([]);
  });
});
