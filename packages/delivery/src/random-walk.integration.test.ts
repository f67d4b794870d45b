import { afterAll, expect, test } from '@jest/globals';
import type { Channel } from '@tidings/contracts/channels/channels';
import type { CampaignAction, CampaignRecord } from '@tidings/contracts/push/campaigns';
import type { DeliveryState } from '@tidings/contracts/push/deliveries';
import {
  configureChannel,
  createOwnDatabase,
  createSendingApplication,
  expandAll,
  eventually,
  giveDevices,
  newCampaign,
  randomFrom,
  recount,
  registerUsers,
  seedsOfRun,
  someIds,
} from '@tidings/testing';
import { acceptCampaign, type NewCampaign } from './accept.ts';
import { changeDeliveryStates, targetKey, targetOf } from './change-states.ts';
import { carryOutActions, type ChunkPosition } from './chunk-actions.ts';
import {
  claimRead,
  claimChunk,
  readDueRows,
  releaseClaims,
  type ClaimedDelivery,
} from './claims.ts';
import { markGroupsSending, markSending } from './mark-sending.ts';
import { controlCampaign } from './control.ts';
import { readCampaign } from '@tidings/campaign-reports/reports';
import { completeCampaigns, expireCampaigns, expireSendingLeases } from './sweeps.ts';
import { resolveUnknownRecipients } from './unknown-recipients.ts';

// Sweeps work over the whole database.
const db = await createOwnDatabase({ poolMax: 16 });
afterAll(() => db.close());

/** What users do to it, whether it is legal or not; canceling ends all else, so it is rare. */
const ACTIONS: readonly CampaignAction[] = [
  'pause',
  'resume',
  'resume',
  'resume',
  'retry-failed',
  'retry-failed',
];

async function carryOut(): Promise<void> {
  let position: ChunkPosition | null = null;
  do position = await carryOutActions(db, position);
  while (position !== null);
}

/** Short enough that another walker takes over abandoned rows. */
const LEASE_MS = 300;
const RESULTS: readonly DeliveryState[] = [
  'sent',
  'sent',
  'failed',
  'failed',
  'retry_wait',
  'unknown',
  'pending',
];

/** A worker that does a random next thing, as live, slow and dead workers do. */
function walker(
  campaign: NewCampaign,
  {
    random,
    ends,
    attempts,
  }: {
    readonly random: () => number;
    readonly ends: 'canceled' | 'expired' | null;
    /** Each target and fence that was marked. */
    readonly attempts: string[];
  },
) {
  const pick = <T>(items: readonly T[]): T | undefined =>
    items[Math.floor(random() * items.length)];
  const claimed: ClaimedDelivery[] = [];
  const sent: ClaimedDelivery[] = [];
  const work: (() => Promise<unknown>)[] = [
    async () => {
      const chunk = {
        campaignId: campaign.campaignId,
        chunkNo: Math.floor(random() * 2),
        leaseMs: random() < 0.3 ? 0 : LEASE_MS,
        rowsMax: 20,
      };
      claimed.push(
        ...(campaign.channel === 'EMAIL' && random() < 0.5
          ? await readDueRows(db, chunk)
          : await claimChunk(db, { ...chunk, channel: campaign.channel, owner: 'walker' })),
      );
    },
    async () => {
      const group = claimed.splice(0, 10);
      const marked = await markGroupsSending(
        db,
        group.map((claim) => [claim]),
        random() < 0.3 ? 0 : LEASE_MS,
      );
      const own = group.filter((_, index) => (marked[index]?.size ?? 0) > 0);
      attempts.push(...own.map((claim) => `${targetKey(claim)} ${claim.fence}`));
      sent.push(...own);
    },
    async () => {
      const batch = random() < 0.3 ? sent.slice(0, 3) : sent.splice(0, 10);
      await changeDeliveryStates(
        db.sql,
        ['sending', 'unknown'],
        batch.map((claim) => {
          const state = pick(RESULTS) ?? 'sent';
          return {
            ...targetOf(claim),
            fence: claim.fence,
            state,
            ...(state === 'failed' && {
              reason: pick(['internal', 'no_address'] as const) ?? 'internal',
            }),
          };
        }),
      );
    },
  ];
  const steps: (() => Promise<unknown>)[] = [
    ...work,
    ...work,
    ...work,
    async () => {
      const [one] = claimed.splice(0, 1);
      if (one === undefined) return;
      const owner = { owner: 'walker', leaseMs: LEASE_MS };
      const own = one.readUntil === undefined ? [one] : await claimRead(db, [one], owner);
      await (random() < 0.5
        ? releaseClaims(db, own, 0)
        : changeDeliveryStates(
            db.sql,
            ['claimed'],
            own.map((claim) => ({
              ...targetOf(claim),
              fence: claim.fence,
              state: 'failed',
              reason: 'no_address',
            })),
          ));
    },
    () => expireSendingLeases(db),
    () => resolveUnknownRecipients(db),
    async () => {
      if (ends === 'expired' && random() < 0.02)
        await db.sql.query('update campaigns set expires_at = now() where id = $1', [
          campaign.campaignId,
        ]);
      await expireCampaigns(db);
    },
    () =>
      controlCampaign(db, {
        ...campaign,
        action: ends === 'canceled' && random() < 0.02 ? 'cancel' : (pick(ACTIONS) ?? 'resume'),
        actor: 'walker',
      }),
    carryOut,
    () => expandAll(db, campaign.campaignId),
    () => completeCampaigns(db),
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

/** Deliveries whose state differs from the aggregate of their addresses. */
async function wrongFolds({ campaignId }: NewCampaign): Promise<unknown[]> {
  const { rows } = await db.sql.query<{ state: DeliveryState; states: DeliveryState[] }>(
    `select d.state, array_agg(a.state) as states from deliveries d join delivery_addresses a on a.delivery_id = d.id where d.campaign_id = $1 group by d.id`,
    [campaignId],
  );
  const groupOf = (state: DeliveryState) =>
    ['claimed', 'sending', 'retry_wait'].includes(state) ? 'pending' : state;
  const best = ['sent', 'pending', 'unknown', 'canceled', 'expired', 'failed'];
  return rows.filter(
    ({ state, states }) =>
      state !== best.find((candidate) => states.some((one) => groupOf(one) === candidate)),
  );
}

async function hasUnsettledAddresses({ campaignId }: NewCampaign): Promise<boolean> {
  const { rows } = await db.sql.query(
    `select 1 from delivery_addresses where campaign_id = $1 and state in ('pending', 'claimed', 'sending', 'retry_wait')`,
    [campaignId],
  );
  return rows.length > 0;
}

/** Settles the rest and retries the failures. */
async function finishAndRetry(campaign: NewCampaign): Promise<void> {
  const { campaignId } = campaign;
  await controlCampaign(db, { ...campaign, action: 'resume', actor: 'walker' });
  await eventually(
    async () => {
      await expandAll(db, campaignId);
      await carryOut();
      for (const chunkNo of [0, 1]) {
        const claimed = await claimChunk(db, {
          channel: campaign.channel,
          campaignId,
          chunkNo,
          owner: 'last',
          leaseMs: 10_000,
          rowsMax: 200,
        });
        await markSending(db, claimed, 10_000);
        await changeDeliveryStates(
          db.sql,
          ['sending'],
          claimed.map((claim) => ({
            ...targetOf(claim),
            fence: claim.fence,
            state: 'failed',
            reason: 'internal',
          })),
        );
      }
      await expireSendingLeases(db);
      await resolveUnknownRecipients(db);
      await completeCampaigns(db);
      expect((await report(campaign)).status).toBe('completed');
    },
    { timeoutMs: 20_000 },
  );
  await controlCampaign(db, { ...campaign, action: 'retry-failed', actor: 'walker' });
}

/** Those to devices are fewer: each recipient has several rows. */
const WALKS: readonly (readonly [Channel, number])[] = [
  ...[1, 2, 3, 4, 5, 6].map((seed) => ['EMAIL', seed] as const),
  ...[1, 2, 3].map((seed) => ['WEB_PUSH', seed] as const),
];

let marked = 0;

test.each(seedsOfRun(WALKS))(
  'the counters add up at every check and equal a recount at the end, and no fence is marked twice, for any events in any order (%s, seed %i)',
  async (channel, seed) => {
    const random = randomFrom(seed);
    const { applicationId } = await createSendingApplication(db);
    const recipients = someIds(240);
    await registerUsers(db, applicationId, recipients.slice(0, 220));
    if (channel === 'WEB_PUSH') await configureChannel(db, applicationId, channel);
    await giveDevices(db, {
      applicationId,
      devices: Object.fromEntries(
        recipients.map((id, index) => [id, [`${id} a`, `${id} b`, `${id} c`].slice(0, index % 4)]),
      ),
    });
    const campaign = newCampaign({ applicationId, recipients, channel });
    await acceptCampaign(db, campaign);
    const ends = ([null, 'canceled', 'expired'] as const)[seed % 3] ?? null;
    const attempts: string[] = [];
    const walkers = Array.from({ length: 6 }, () => walker(campaign, { random, ends, attempts }));
    const walk = (steps: number) =>
      Promise.all(
        walkers.map(async ({ step }) => {
          for (let taken = 0; taken < steps; taken += 1) await step();
        }),
      );

    let isWalking = true;
    const looking = (async () => {
      while (isWalking) await look(campaign);
    })();
    await walk(60);
    if (ends === null) await finishAndRetry(campaign);
    await walk(40);
    await controlCampaign(db, { ...campaign, action: 'resume', actor: 'walker' });
    await expandAll(db, campaign.campaignId);
    await carryOut();
    isWalking = false;
    await looking;

    marked += attempts.length;
    expect(new Set(attempts).size).toBe(attempts.length);

    const record = await report(campaign);
    const { groups, failures } = await recount(db, campaign.campaignId);
    const { counts } = record;
    const counted = {
      pending: counts.pending,
      sent: counts.sent,
      failed: counts.failed,
      unknown: counts.unknown,
      expired: counts.expired,
      canceled: counts.canceled,
    };
    expect(counted).toEqual({
      pending: 0,
      sent: 0,
      failed: 0,
      unknown: 0,
      expired: 0,
      canceled: 0,
      ...groups,
    });
    expect(record.failures).toEqual(failures);

    expect(await wrongFolds(campaign)).toEqual([]);

    await completeCampaigns(db);
    const { status } = await report(campaign);
    const isDone = counts.pending === 0 && !(await hasUnsettledAddresses(campaign));
    expect(status).toBe(
      record.status === 'canceled' ? 'canceled' : isDone ? 'completed' : 'sending',
    );
  },
  120_000,
);

test('walks have marked rows', () => {
  expect(marked).toBeGreaterThan(0);
});
