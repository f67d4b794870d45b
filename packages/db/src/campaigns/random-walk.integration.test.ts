import { afterAll, expect, test } from '@jest/globals';
import type { CampaignRecord, DeliveryState } from '@tidings/contracts';
import { createOwnDatabase, createSendingApplication, expandAll, newCampaign, randomFrom, recount, registerUsers, someIds } from '@tidings/testing';
import { acceptCampaign, type NewCampaign } from './accept.ts';
import { changeDeliveryStates } from './change-states.ts';
import { armDeliveries, claimChunk, releaseClaims, type ClaimedDelivery } from './claims.ts';
import { readCampaign } from './reports.ts';
import { completeCampaigns, expireCampaigns, expireSendingLeases, resolveUnknownRecipients } from './sweeps.ts';

// Sweeps work over the whole database.
const db = await createOwnDatabase({ poolMax: 16 });
afterAll(() => db.close());

const RESULTS: readonly DeliveryState[] = ['sent', 'sent', 'failed', 'retry_wait', 'unknown', 'pending'];

/** A worker that does a random next thing, as live, slow and dead workers do. */
function walker(campaign: NewCampaign, random: () => number) {
  const pick = <T>(items: readonly T[]): T | undefined => items[Math.floor(random() * items.length)];
  const claimed: ClaimedDelivery[] = [];
  const sent: ClaimedDelivery[] = [];
  const steps: (() => Promise<unknown>)[] = [
    async () => {
      const leaseMs = random() < 0.3 ? 0 : 10_000;
      claimed.push(...(await claimChunk(db, { campaignId: campaign.campaignId, chunkNo: Math.floor(random() * 2), owner: 'walker', leaseMs, rowsMax: 8 })));
    },
    async () => {
      const group = claimed.splice(0, 4);
      const armed = await armDeliveries(db, group, random() < 0.3 ? 0 : 10_000);
      sent.push(...group.filter(({ deliveryId }) => armed.has(deliveryId)));
    },
    () => releaseClaims(db, claimed.splice(0, 1), 0),
    async () => {
      const batch = random() < 0.3 ? sent.slice(0, 3) : sent.splice(0, 5);
      await changeDeliveryStates(
        db.sql,
        ['sending', 'unknown'],
        batch.map(({ deliveryId, fence }) => {
          const state = pick(RESULTS) ?? 'sent';
          return { deliveryId, fence, state, ...(state === 'failed' && { reason: pick(['internal', 'no_address'] as const) ?? 'internal' }) };
        }),
      );
    },
    () => expireSendingLeases(db),
    () => resolveUnknownRecipients(db),
    async () => {
      if (random() < 0.1) await db.sql.query('update campaigns set expires_at = now() where id = $1', [campaign.campaignId]);
      await expireCampaigns(db);
    },
  ];
  return { step: () => pick(steps)?.() };
}

async function report({ applicationId, campaignId }: NewCampaign): Promise<CampaignRecord> {
  const record = await readCampaign(db, applicationId, campaignId);
  if (record === null) throw new Error('the campaign is gone');
  return record;
}

async function look(campaign: NewCampaign): Promise<void> {
  const { counts } = await report(campaign);
  const { total, successful, failed, unknown, expired, canceled, pending, waiting } = counts;
  expect(successful + failed + unknown + expired + canceled + pending + waiting).toBe(total);
  expect(Math.min(...Object.values<number>(counts))).toBeGreaterThanOrEqual(0);
}

test.each([1, 2, 3, 4, 5, 6])(
  'O5 the counters add up at every look and equal a recount at the end, whatever happens in whatever order (seed %i)',
  async (seed) => {
    const random = randomFrom(seed);
    const { applicationId } = await createSendingApplication(db);
    const recipients = someIds(240);
    await registerUsers(db, applicationId, recipients.slice(0, 220));
    const campaign = newCampaign({ applicationId, recipients });
    await acceptCampaign(db, campaign);
    const walkers = Array.from({ length: 6 }, () => walker(campaign, random));

    let isWalking = true;
    const looking = (async () => {
      while (isWalking) await look(campaign);
    })();
    await expandAll(db, campaign.campaignId);
    await Promise.all(
      walkers.map(async ({ step }) => {
        for (let taken = 0; taken < 60; taken += 1) await step();
      }),
    );
    isWalking = false;
    await looking;

    const record = await report(campaign);
    const { groups, failures } = await recount(db, campaign.campaignId);
    const { counts } = record;
    const counted = { pending: counts.pending, sent: counts.sent, failed: counts.failed, unknown: counts.unknown, expired: counts.expired };
    expect(counted).toEqual({ pending: 0, sent: 0, failed: 0, unknown: 0, expired: 0, ...groups });
    expect(record.failures).toEqual(failures);

    await completeCampaigns(db);
    const isSettled = counts.pending === 0;
    expect((await report(campaign)).status).toBe(isSettled ? 'completed' : 'sending');
  },
  60_000,
);
