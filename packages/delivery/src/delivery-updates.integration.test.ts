import { afterAll, describe, expect, test } from '@jest/globals';
import type { DeliveryState, DeliveryUpdateName } from '@tidings/contracts/push/deliveries';
import { systemIds } from '@tidings/platform';
import { connectTestDatabase, createSendingCampaign, recount } from '@tidings/testing';
import { changeDeliveryStates } from './change-states.ts';
import { claimChunk } from './claims.ts';
import { markSending } from './mark-sending.ts';
import { applyDeliveryUpdates } from './delivery-updates.ts';
import { listCampaignEvents } from '@tidings/campaign-reports/list-campaign-events';
import { listDeliveries } from '@tidings/campaign-reports/list-deliveries';
import { reconcileCounters } from './reconcile.ts';
import { readCampaign } from '@tidings/campaign-reports/reports';

const db = connectTestDatabase();
afterAll(() => db.close());

/** Deliveries of a campaign that are marked, or further. */
async function inState(state: DeliveryState, count = 1) {
  const campaign = await createSendingCampaign(db, { count });
  const claimed = await claimChunk(db, {
    campaignId: campaign.campaignId,
    chunkNo: 0,
    owner: 'worker',
    leaseMs: 60_000,
    rowsMax: 200,
  });
  await markSending(db, claimed, 60_000);
  if (state !== 'sending')
    await changeDeliveryStates(
      db.sql,
      ['sending'],
      claimed.map(({ deliveryId, fence }) => ({ deliveryId, fence, state })),
    );
  return { ...campaign, claimed, ids: claimed.map(({ deliveryId }) => deliveryId) };
}
type InState = Awaited<ReturnType<typeof inState>>;

const tell = ({ ids }: InState, ...names: readonly DeliveryUpdateName[]) =>
  applyDeliveryUpdates(
    db,
    names.flatMap((outcome) => ids.map((deliveryId) => ({ deliveryId, outcome }))),
  );
const countsOf = async ({ applicationId, campaignId }: InState) =>
  (await readCampaign(db, applicationId, campaignId))?.counts;
const eventsOf = async ({ campaignId }: InState) =>
  (await listCampaignEvents(db, campaignId, { limit: 500 }))
    .filter(({ deliveryId }) => deliveryId !== undefined)
    .map(({ type }) => type);
const rowOf = async ({ campaignId }: InState) =>
  (await listDeliveries(db, campaignId, { limit: 1 }))[0];

/** This campaign's counters that differ from a recount. */
async function differences({ campaignId }: InState) {
  const found = [];
  let after: string | null = null;
  do {
    const step = await reconcileCounters(db, after, {
      campaignsMax: 1_000,
      recipientsMax: 100_000,
      days: 1,
    });
    found.push(...step.differences.filter((difference) => difference.campaignId === campaignId));
    after = step.nextAfter;
  } while (after !== null);
  return found;
}

describe('updates of a delivery after it was sent', () => {
  test('step by step: state, times, log and cumulative counts', async () => {
    const campaign = await inState('sent');

    for (const name of ['delivered', 'displayed', 'opened', 'clicked'] as const)
      expect(await tell(campaign, name)).toEqual(['changed']);

    expect(await rowOf(campaign)).toMatchObject({
      status: 'clicked',
      sentAt: expect.any(Number),
      deliveredAt: expect.any(Number),
      displayedAt: expect.any(Number),
      openedAt: expect.any(Number),
      clickedAt: expect.any(Number),
    });
    expect(await eventsOf(campaign)).toEqual([
      'delivery.sent',
      'delivery.delivered',
      'delivery.displayed',
      'delivery.opened',
      'delivery.clicked',
    ]);
    expect(await countsOf(campaign)).toMatchObject({
      total: 1,
      sent: 1,
      delivered: 1,
      displayed: 1,
      opened: 1,
      clicked: 1,
      successful: 1,
      pending: 0,
    });
    expect(await differences(campaign)).toEqual([]);
  });

  test('several of one delivery at once, from an unknown outcome', async () => {
    const campaign = await inState('unknown');

    expect(await tell(campaign, 'displayed', 'clicked', 'displayed')).toEqual([
      'changed',
      'changed',
      'nothing_new',
    ]);

    expect(await rowOf(campaign)).toMatchObject({
      status: 'clicked',
      deliveredAt: null,
      displayedAt: expect.any(Number),
      clickedAt: expect.any(Number),
      sentAt: expect.any(Number),
    });
    expect(await eventsOf(campaign)).toEqual([
      'delivery.unknown',
      'delivery.displayed',
      'delivery.clicked',
    ]);
    expect(await countsOf(campaign)).toMatchObject({
      unknown: 0,
      displayed: 1,
      clicked: 1,
      successful: 1,
    });
  });

  test('complaints and unsubscribing are counted beside the states, once', async () => {
    const campaign = await inState('sent', 3);

    await tell(campaign, 'complained', 'unsubscribed');
    expect(await tell(campaign, 'complained', 'unsubscribed')).toEqual(
      Array.from({ length: 6 }, () => 'nothing_new'),
    );

    expect(await countsOf(campaign)).toMatchObject({
      total: 3,
      sent: 3,
      successful: 3,
      pending: 0,
      complained: 3,
      unsubscribed: 3,
    });
    expect(await recount(db, campaign.campaignId)).toEqual({ groups: { sent: 3 }, failures: {} });
    expect(await differences(campaign)).toEqual([]);
  });

  test('a bounce makes a failure of a success, with its reason and the provider’s code', async () => {
    const campaign = await inState('sent');
    const [deliveryId = ''] = campaign.ids;

    await applyDeliveryUpdates(db, [
      { deliveryId, outcome: 'bounced', reason: 'invalid_address', providerCode: '5.1.1' },
    ]);

    expect(await rowOf(campaign)).toMatchObject({
      status: 'failed',
      reason: 'invalid_address',
      providerCode: '5.1.1',
    });
    expect(await eventsOf(campaign)).toEqual(['delivery.sent', 'delivery.bounced']);
    expect((await readCampaign(db, campaign.applicationId, campaign.campaignId))?.failures).toEqual(
      { invalid_address: 1 },
    );
    expect(await countsOf(campaign)).toMatchObject({ successful: 0, sent: 0, failed: 1 });
  });

  test('what a machine opened is in the log, and counted apart, once', async () => {
    const campaign = await inState('sent');
    const [deliveryId = ''] = campaign.ids;

    for (let times = 0; times < 3; times += 1)
      await applyDeliveryUpdates(db, [
        { deliveryId, outcome: 'opened', isMachine: true, detail: 'image proxy' },
      ]);

    expect(await rowOf(campaign)).toMatchObject({ status: 'sent', openedAt: null });
    expect(
      (await listCampaignEvents(db, campaign.campaignId, { limit: 500 })).at(-1),
    ).toMatchObject({ type: 'delivery.machine_opened', detail: 'image proxy' });
    expect(await eventsOf(campaign)).toHaveLength(2);
    expect(await countsOf(campaign)).toMatchObject({
      sent: 1,
      pending: 0,
      opened: 0,
      machineOpened: 1,
      machineClicked: 0,
    });
  });

  test('a clock that is wrong says neither before it was made nor later than now', async () => {
    const campaign = await inState('sent');
    const [deliveryId = ''] = campaign.ids;

    await applyDeliveryUpdates(db, [
      { deliveryId, outcome: 'displayed', at: 1 },
      { deliveryId, outcome: 'clicked', at: Date.now() + 1e12 },
      { deliveryId, outcome: 'dismissed', at: -1e12 },
    ]);

    const row = await rowOf(campaign);
    expect(row?.displayedAt).toBe(row?.createdAt);
    expect(row?.clickedAt).toBeLessThanOrEqual(Date.now() + 60_000);
  });

  test('an answer of the provider that comes after it changes nothing', async () => {
    const campaign = await inState('sending');

    await tell(campaign, 'displayed');
    const changed = await changeDeliveryStates(
      db.sql,
      ['sending', 'unknown'],
      campaign.claimed.map(({ deliveryId, fence }) => ({
        deliveryId,
        fence,
        state: 'sent' as const,
      })),
    );

    expect(changed.size).toBe(0);
    expect(await rowOf(campaign)).toMatchObject({ status: 'displayed' });
  });

  test('said many times at once, it happened once', async () => {
    const campaign = await inState('sent', 20);
    const backwards = { ...campaign, ids: campaign.ids.toReversed() };

    await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        tell(index % 2 === 0 ? campaign : backwards, 'displayed', 'complained'),
      ),
    );

    expect(await countsOf(campaign)).toMatchObject({
      total: 20,
      displayed: 20,
      complained: 20,
      clicked: 0,
    });
    expect((await eventsOf(campaign)).toSorted()).toEqual(
      ['complained', 'displayed', 'sent'].flatMap((name) =>
        Array.from({ length: 20 }, () => `delivery.${name}`),
      ),
    );
    expect(await differences(campaign)).toEqual([]);
  });

  test('a delivery that there is not', async () => {
    expect(
      await applyDeliveryUpdates(db, [{ deliveryId: systemIds.uuid(), outcome: 'opened' }]),
    ).toEqual(['not_found']);
  });
});

test('each has its webhook; a machine’s action has none', async () => {
  const { rows } = await db.sql.query<{ kind: string | null }>(
    'select webhook_kind(type) as kind from unnest($1::text[]) as type',
    [
      [
        'delivery.delivered',
        'delivery.displayed',
        'delivery.opened',
        'delivery.clicked',
        'delivery.dismissed',
        'delivery.bounced',
        'delivery.complained',
        'user.unsubscribed',
        'delivery.machine_opened',
        'delivery.machine_clicked',
      ],
    ],
  );

  expect(rows.map(({ kind }) => kind)).toEqual([
    'message.delivered',
    'message.displayed',
    'message.opened',
    'message.clicked',
    'message.dismissed',
    'message.bounced',
    'message.complained',
    'user.unsubscribed',
    null,
    null,
  ]);
});
