import { afterAll, describe, expect, test } from '@jest/globals';
import {
  connectTestDatabase,
  createSendingApplication,
  createSendingCampaign,
  recount,
  untilBlockedBy,
} from '@tidings/testing';
import { changeDeliveryStates, type StateChange } from './change-states.ts';
import { listCampaignEvents } from '@tidings/campaign-reports/list-campaign-events';
import { listDeliveries } from '@tidings/campaign-reports/list-deliveries';
import { readCampaign } from '@tidings/campaign-reports/reports';
import { claimHelpers } from './testing/claimed-deliveries.ts';

const db = connectTestDatabase();
afterAll(() => db.close());
const { claim, claimOne, markOne, rowOf, record } = claimHelpers(db);

describe('a bounce', () => {
  const bounce = { class: 'temporary', evidence: '4.3.0' } as const;
  const reportOf = (campaign: { readonly applicationId: string; readonly campaignId: string }) =>
    readCampaign(db, campaign.applicationId, campaign.campaignId);

  test('is stored, logged and counted while its delivery has failed by it', async () => {
    const campaign = await createSendingCampaign(db);
    const claimed = await markOne(campaign);
    const { deliveryId } = claimed;

    await record(claimed, { state: 'failed', reason: 'provider_unavailable', bounce });

    expect(await listDeliveries(db, campaign.campaignId, { limit: 1 })).toMatchObject([{ bounce }]);
    expect((await listCampaignEvents(db, campaign.campaignId, { limit: 9 })).at(-1)).toMatchObject({
      type: 'delivery.failed',
      bounce,
    });
    expect(await reportOf(campaign)).toMatchObject({
      counts: { failed: 1, pending: 0 },
      bounces: { temporary: 1 },
    });

    await changeDeliveryStates(
      db.sql,
      ['failed'],
      [{ deliveryId, fence: null, state: 'pending', isFresh: true }],
    );

    expect(await listDeliveries(db, campaign.campaignId, { limit: 1 })).toMatchObject([
      { bounce: null },
    ]);
    expect(await reportOf(campaign)).toMatchObject({ counts: { pending: 1 }, bounces: {} });
  });

  test('of an attempt that is repeated is shown until the mail is sent, and not counted', async () => {
    const campaign = await createSendingCampaign(db);
    const claimed = await markOne(campaign);

    await record(claimed, { state: 'retry_wait', reason: 'provider_unavailable', bounce });

    expect(await listDeliveries(db, campaign.campaignId, { limit: 1 })).toMatchObject([{ bounce }]);
    expect((await reportOf(campaign))?.bounces).toEqual({});

    const again = await markOne(campaign);
    await record(again, {
      state: 'sent',
      outcome: 'sent',
      providerCode: '250',
      providerMessage: '250 Ok',
      isNeutral: true,
    });

    expect(await listDeliveries(db, campaign.campaignId, { limit: 1 })).toMatchObject([
      { status: 'sent', bounce: null },
    ]);
  });
});

describe('record', () => {
  test('what waits for another’s change begins from what that left', async () => {
    const campaign = await createSendingCampaign(db);
    const claimed = await markOne(campaign);

    const { late } = await db.transaction(async (sql) => {
      await changeDeliveryStates(
        sql,
        ['sending'],
        [
          {
            deliveryId: claimed.deliveryId,
            fence: claimed.fence,
            state: 'unknown',
            reason: 'outcome_unknown',
          },
        ],
      );
      const waiting = record(claimed, { state: 'sent' });
      await untilBlockedBy(db, sql);
      return { late: waiting };
    });

    expect([(await late).size, (await recount(db, campaign.campaignId)).groups]).toEqual([
      1,
      { sent: 1 },
    ]);
    expect(
      (await readCampaign(db, campaign.applicationId, campaign.campaignId))?.counts,
    ).toMatchObject({ sent: 1, unknown: 0 });
  });

  test('settles a row once: the same outcome again changes and counts nothing', async () => {
    const campaign = await createSendingCampaign(db);
    const claimed = await markOne(campaign);

    expect(
      await record(claimed, { state: 'sent', providerCode: '250', providerMessage: '250 Ok' }),
    ).toEqual(new Set([claimed.deliveryId]));
    expect(await record(claimed, { state: 'sent' })).toEqual(new Set());
    expect(await record(claimed, { state: 'failed', reason: 'internal' })).toEqual(new Set());

    const report = await readCampaign(db, campaign.applicationId, campaign.campaignId);
    expect(report).toMatchObject({
      counts: { total: 1, pending: 0, sent: 1, successful: 1, failed: 0 },
      failures: {},
    });
    expect(report?.timing).toMatchObject({
      firstSentAt: expect.any(Number),
      lastSentAt: expect.any(Number),
    });
    expect(await listDeliveries(db, campaign.campaignId, { limit: 5 })).toMatchObject([
      {
        status: 'sent',
        providerCode: '250',
        providerMessage: '250 Ok',
        attempts: 1,
        sentAt: expect.any(Number),
      },
    ]);
    expect((await listCampaignEvents(db, campaign.campaignId, { limit: 10 })).at(-1)).toMatchObject(
      {
        type: 'delivery.sent',
        deliveryId: claimed.deliveryId,
        attempt: 1,
        status: 'sent',
        providerCode: '250',
        detail: '250 Ok',
      },
    );
  });

  test('keeps no words of an earlier answer beside the code of a later one', async () => {
    const campaign = await createSendingCampaign(db);

    await record(await markOne(campaign), {
      state: 'retry_wait',
      reason: 'provider_unavailable',
      providerCode: '503',
      providerMessage: 'HTTP 503',
    });
    await record(await markOne(campaign), { state: 'sent', providerCode: '204' });

    expect(await listDeliveries(db, campaign.campaignId, { limit: 5 })).toMatchObject([
      { status: 'sent', providerCode: '204', providerMessage: null },
    ]);
  });

  test('says when a row was sent, not when it was made', async () => {
    const campaign = await createSendingCampaign(db);
    const claimed = await markOne(campaign);
    await db.sql.query(
      "update deliveries set created_at = created_at - interval '1 hour' where id = $1",
      [claimed.deliveryId],
    );

    await record(claimed, { state: 'sent' });

    const [delivery] = await listDeliveries(db, campaign.campaignId, { limit: 5 });
    expect(Number(delivery?.sentAt) - Number(delivery?.createdAt)).toBeGreaterThanOrEqual(
      3_600_000,
    );
  });

  test('logs each attempt: its number, fence, times, what it came to, and the trace of the push', async () => {
    const campaign = await createSendingCampaign(db);
    const attempts: readonly Omit<StateChange, 'deliveryId' | 'fence'>[] = [
      {
        state: 'retry_wait',
        reason: 'rate_limited',
        isAttemptReturned: true,
        outcome: 'rate_limited',
        durationMs: 12,
        providerCode: '429',
        providerMessage: 'slow down',
      },
      {
        state: 'retry_wait',
        reason: 'provider_unavailable',
        outcome: 'transient',
        durationMs: 5_000,
      },
      { state: 'sent', outcome: 'sent', durationMs: 34, providerCode: '250' },
    ];
    for (const change of attempts) await record(await markOne(campaign), change);

    const logged = (await listCampaignEvents(db, campaign.campaignId, { limit: 10 })).filter(
      ({ deliveryId }) => deliveryId !== undefined,
    );
    const common = { markedSendingAt: expect.any(Number), traceId: campaign.traceId };
    expect(logged).toMatchObject([
      {
        ...common,
        attempt: 1,
        fence: 1,
        status: 'retry_wait',
        outcome: 'rate_limited',
        durationMs: 12,
        providerCode: '429',
        detail: 'slow down',
      },
      {
        ...common,
        attempt: 1,
        fence: 2,
        status: 'retry_wait',
        outcome: 'transient',
        durationMs: 5_000,
      },
      {
        ...common,
        attempt: 2,
        fence: 3,
        status: 'sent',
        outcome: 'sent',
        durationMs: 34,
        providerCode: '250',
      },
    ]);
    for (const { at, markedSendingAt } of logged) expect(markedSendingAt).toBeLessThanOrEqual(at);
  });

  test('logs what changed without an attempt as that', async () => {
    const campaign = await createSendingCampaign(db);
    const { deliveryId, fence } = await claimOne(campaign);
    await changeDeliveryStates(
      db.sql,
      ['claimed'],
      [{ deliveryId, fence, state: 'failed', reason: 'no_address' }],
    );

    const [logged] = (await listCampaignEvents(db, campaign.campaignId, { limit: 10 })).slice(-1);
    expect(logged).toMatchObject({ type: 'delivery.failed', reason: 'no_address', fence: 1 });
    for (const field of ['markedSendingAt', 'outcome', 'durationMs', 'traceId'])
      expect(logged).not.toHaveProperty(field);
  });

  test('schedules a retry, which counts as pending', async () => {
    const campaign = await createSendingCampaign(db);
    await record(await markOne(campaign), {
      state: 'retry_wait',
      reason: 'provider_unavailable',
      delayMs: 60_000,
    });

    const row = await rowOf(campaign);
    expect(row).toMatchObject({ state: 'retry_wait', reason: 'provider_unavailable', attempts: 1 });
    expect(row.next_in_ms).toBeGreaterThan(50_000);
    expect(
      (await readCampaign(db, campaign.applicationId, campaign.campaignId))?.counts,
    ).toMatchObject({ pending: 1, failed: 0 });
  });

  test('returns an attempt that never reached the provider', async () => {
    const campaign = await createSendingCampaign(db);
    await record(await markOne(campaign), { state: 'pending', isAttemptReturned: true });

    expect(await rowOf(campaign)).toMatchObject({ state: 'pending', attempts: 0 });
  });

  test('a late outcome moves an unknown row to sent, by its fence only', async () => {
    const campaign = await createSendingCampaign(db);
    const claimed = await markOne(campaign);
    await changeDeliveryStates(
      db.sql,
      ['sending'],
      [
        {
          deliveryId: claimed.deliveryId,
          fence: claimed.fence,
          state: 'unknown',
          reason: 'outcome_unknown',
        },
      ],
    );
    expect(
      (await readCampaign(db, campaign.applicationId, campaign.campaignId))?.counts,
    ).toMatchObject({ unknown: 1, pending: 0 });

    expect(await record({ ...claimed, fence: claimed.fence + 1 }, { state: 'sent' })).toEqual(
      new Set(),
    );
    expect(await record(claimed, { state: 'sent' })).toEqual(new Set([claimed.deliveryId]));

    expect(
      (await readCampaign(db, campaign.applicationId, campaign.campaignId))?.counts,
    ).toMatchObject({ unknown: 0, sent: 1, pending: 0 });
  });

  test.each(['pending', 'retry_wait'] as const)(
    'what is unknown never goes back to %s',
    async (state) => {
      const campaign = await createSendingCampaign(db);
      const claimed = await markOne(campaign);
      await record(claimed, { state: 'unknown', reason: 'outcome_unknown' });

      expect(await record(claimed, { state, delayMs: 0 })).toEqual(new Set());
      expect(await rowOf(campaign)).toMatchObject({ state: 'unknown' });
    },
  );

  test('failures are counted by reason', async () => {
    const { applicationId } = await createSendingApplication(db);
    const campaign = await createSendingCampaign(db, { applicationId, count: 3 });
    const claimed = await claim(campaign);
    const reasons = ['no_address', 'no_address', 'invalid_address'] as const;
    await changeDeliveryStates(
      db.sql,
      ['claimed'],
      claimed.map(({ deliveryId, fence }, index) => ({
        deliveryId,
        fence,
        state: 'failed',
        reason: reasons[index] ?? 'internal',
      })),
    );

    expect(await readCampaign(db, applicationId, campaign.campaignId)).toMatchObject({
      counts: { total: 3, failed: 3, pending: 0 },
      failures: { no_address: 2, invalid_address: 1 },
    });
    expect(await recount(db, campaign.campaignId)).toEqual({
      groups: { failed: 3 },
      failures: { no_address: 2, invalid_address: 1 },
    });
  });
});
