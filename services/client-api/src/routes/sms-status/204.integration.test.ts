import { afterAll, describe, expect, test } from '@jest/globals';
import type { DeliveryState } from '@tidings/contracts/push/deliveries';
import { changeDeliveryStates } from '@tidings/delivery/change-states';
import { readCampaign } from '@tidings/campaign-reports/reports';
import { recount } from '@tidings/testing';
import { createSms, putAccountBefore, startTestClientApi } from '../../testing/test-client-api.ts';

const api = await startTestClientApi();
const { db } = api;
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});

describe('a status callback advances the outcome', () => {
  test.each<[DeliveryState, string, string | undefined, object]>([
    ['sending', 'queued', undefined, { status: 'sent', deliveredAt: null }],
    [
      'sending',
      'delivered',
      undefined,
      { status: 'delivered', deliveredAt: expect.any(Number), sentAt: expect.any(Number) },
    ],
    ['unknown', 'sent', undefined, { status: 'sent', reason: null }],
    ['unknown', 'delivered', undefined, { status: 'delivered', reason: null }],
    [
      'unknown',
      'undelivered',
      '30003',
      { status: 'failed', reason: 'provider_unavailable', providerCode: '30003' },
    ],
    ['sent', 'delivered', undefined, { status: 'delivered' }],
    [
      'sent',
      'undelivered',
      '30005',
      { status: 'failed', reason: 'invalid_address', providerCode: '30005' },
    ],
    ['sent', 'failed', '30036', { status: 'expired' }],
    // Unclear whether it was accepted: it must not be sent again.
    ['retry_wait', 'sent', undefined, { status: 'sent', reason: null }],
  ])('%s, told %s (%s)', async (state, status, code, outcome) => {
    const sms = await createSms(db, state);

    expect(
      (await api.post(sms.path, sms.formOf(status, code === undefined ? {} : { ErrorCode: code })))
        .status,
    ).toBe(204);

    expect(await sms.read()).toMatchObject(outcome);
  });
});

test('a callback of a further account advances the outcome', async () => {
  const sms = await createSms(db, 'sent');
  await putAccountBefore(db, sms);

  expect((await api.post(sms.path, sms.formOf('delivered'))).status).toBe(204);

  expect(await sms.read()).toMatchObject({ status: 'delivered' });
});

describe('an invalid number is suppressed', () => {
  const suppressed = async (applicationId: string) =>
    (
      await db.sql.query<{ address: string; reason: string }>(
        'select address, reason from suppressions where application_id = $1',
        [applicationId],
      )
    ).rows;

  test.each([
    ['30004', 'suppressed_bounce'],
    ['30005', 'suppressed_bounce'],
    ['30006', 'suppressed_bounce'],
    ['21610', 'sms_stop'],
  ])('%s: the number that the message was sent to is suppressed, once', async (code, reason) => {
    const sms = await createSms(db, 'sent');
    // The user changed the number meanwhile.
    await db.sql.query(
      `update users u set phone_e164 = '+4915112345999' from deliveries d where d.id = $1 and u.id = d.user_id`,
      [sms.deliveryId],
    );

    for (let told = 0; told < 2; told += 1)
      expect(
        (await api.post(sms.path, sms.formOf('undelivered', { ErrorCode: code }))).status,
      ).toBe(204);

    expect(await suppressed(sms.applicationId)).toEqual([{ address: '+4915112345001', reason }]);
  });

  test.each([
    ['30003', '+4915112345001'],
    ['30007', '+4915112345001'],
    ['30005', 'not a number'],
  ])('%s of %s: none is', async (code, to) => {
    const sms = await createSms(db, 'sent');

    await api.post(sms.path, sms.formOf('undelivered', { ErrorCode: code, To: to }));

    expect(await suppressed(sms.applicationId)).toEqual([]);
  });
});

describe('a status callback never reverts an outcome', () => {
  test.each<[DeliveryState, string]>([
    ['sent', 'queued'],
    ['sent', 'sent'],
    ['delivered', 'sent'],
    ['delivered', 'undelivered'],
    ['delivered', 'delivered'],
    ['failed', 'delivered'],
    ['failed', 'sent'],
    ['expired', 'delivered'],
    ['canceled', 'sent'],
    ['sent', 'receiving'],
    ['sent', ''],
  ])('%s, told %j', async (state, status) => {
    const sms = await createSms(db, state);
    const before = await sms.read();

    expect((await api.post(sms.path, sms.formOf(status))).status).toBe(204);

    expect(await sms.read()).toEqual(before);
  });

  test('out of order and repeated: same result, and the counters match a recount', async () => {
    const sms = await createSms(db, 'unknown');

    for (const status of ['delivered', 'sent', 'queued', 'delivered', 'undelivered'])
      await api.post(sms.path, sms.formOf(status));

    expect(await sms.read()).toMatchObject({ status: 'delivered' });
    expect((await readCampaign(db, sms.applicationId, sms.campaignId))?.counts).toMatchObject({
      total: 1,
      delivered: 1,
      successful: 1,
      unknown: 0,
      pending: 0,
    });
    expect(await recount(db, sms.campaignId)).toEqual({ groups: { delivered: 1 }, failures: {} });
  });
});

test('a callback that arrives before the reply: the reply changes nothing', async () => {
  const sms = await createSms(db, 'sending');
  await api.post(sms.path, sms.formOf('delivered'));

  const changed = await changeDeliveryStates(
    db.sql,
    ['sending', 'unknown'],
    [{ deliveryId: sms.deliveryId, fence: sms.fence, state: 'sent' }],
  );

  expect(changed.size).toBe(0);
  expect(await sms.read()).toMatchObject({ status: 'delivered' });
});

test('a callback of an earlier attempt changes nothing', async () => {
  const sms = await createSms(db, 'unknown');
  await db.sql.query('update deliveries set fence = fence + 1 where id = $1', [sms.deliveryId]);

  expect((await api.post(sms.path, sms.formOf('delivered'))).status).toBe(204);

  expect(await sms.read()).toMatchObject({ status: 'unknown' });
});
