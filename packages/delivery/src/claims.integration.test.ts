import { afterAll, describe, expect, test } from '@jest/globals';
import {
  connectTestDatabase,
  createSendingApplication,
  createSendingCampaign,
  recount,
  untilBlockedBy,
} from '@tidings/testing';
import type { NewCampaign } from './accept.ts';
import { changeDeliveryStates, type StateChange } from './change-states.ts';
import { readCampaignsToSend } from './campaigns-to-send.ts';
import {
  markSending,
  markGroupsSending,
  claimChunk,
  claimChunks,
  releaseClaims,
  type ClaimedDelivery,
  type Fenced,
} from './claims.ts';
import { listCampaignEvents } from './list-campaign-events.ts';
import { listDeliveries } from './list-deliveries.ts';
import { readCampaign } from './reports.ts';

const db = connectTestDatabase();
afterAll(() => db.close());

const LEASE_MS = 60_000;

const claim = (
  { campaignId }: NewCampaign,
  { owner = 'worker-1', rowsMax = 100 } = {},
): Promise<ClaimedDelivery[]> =>
  claimChunk(db, { campaignId, chunkNo: 0, owner, leaseMs: LEASE_MS, rowsMax });

async function claimOne(campaign: NewCampaign): Promise<ClaimedDelivery> {
  const [claimed] = await claim(campaign);
  if (claimed === undefined) throw new Error('nothing to claim');
  return claimed;
}

async function armOne(campaign: NewCampaign): Promise<ClaimedDelivery> {
  const claimed = await claimOne(campaign);
  expect(await markSending(db, [claimed], LEASE_MS)).toEqual(new Set([claimed.deliveryId]));
  return claimed;
}

/** As if the time of their leases had passed. */
const endLeases = ({ campaignId }: NewCampaign) =>
  db.sql.query(
    `update deliveries set lease_until = now() - interval '1 ms' where campaign_id = $1`,
    [campaignId],
  );

async function rowOf({ campaignId }: NewCampaign) {
  const { rows } = await db.sql.query<{
    state: string;
    reason: string | null;
    fence: number;
    attempts: number;
    next_in_ms: number;
    owner: string | null;
  }>(
    `select state, reason, fence, attempts, owner, (extract(epoch from next_at - now()) * 1000)::float8 as next_in_ms
     from deliveries where campaign_id = $1`,
    [campaignId],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('there is no delivery');
  return row;
}

const record = (claimed: Fenced, change: Omit<StateChange, 'deliveryId' | 'fence'>) =>
  changeDeliveryStates(
    db.sql,
    ['sending', 'unknown'],
    [{ deliveryId: claimed.deliveryId, fence: claimed.fence, ...change }],
  );

describe('claim', () => {
  test('gives the worker all it needs to send', async () => {
    const { applicationId } = await createSendingApplication(db);
    const campaign = await createSendingCampaign(db, { applicationId, recipients: ['ada'] });

    expect(await claim(campaign)).toEqual([
      {
        deliveryId: expect.any(String),
        fence: 1,
        customUserId: 'ada',
        serviceUserId: null,
        attempts: 0,
        ageMs: expect.any(Number),
        testAddress: null,
        ambiguousAttempts: 0,
        profile: { email: 'ada@example.org' },
        timeZone: null,
        suppression: null,
        settingsVersion: 1,
      },
    ]);
    expect(
      (await readCampaignsToSend(db.sql, [campaign.campaignId])).get(campaign.campaignId),
    ).toEqual({
      campaignId: campaign.campaignId,
      applicationId,
      purpose: 'transactional',
      lane: 'express',
      message: campaign.message,
      defaultSubject: null,
      isTracked: true,
      isTest: false,
      expiresAt: campaign.expiresAt,
    });
  });

  test('gives a row to one worker only, however many ask at once', async () => {
    const campaign = await createSendingCampaign(db, { count: 150 });

    const claims = await Promise.all(
      ['a', 'b', 'c', 'd'].flatMap((owner) =>
        [1, 2, 3].map(() => claim(campaign, { owner, rowsMax: 40 })),
      ),
    );

    const ids = claims.flat().map(({ deliveryId }) => deliveryId);
    expect(ids).toHaveLength(150);
    expect(new Set(ids).size).toBe(150);
  });

  test('gives each of several chunks its own rows, and one that is asked for twice to the first who asks', async () => {
    const [one, two, none] = [
      await createSendingCampaign(db, { count: 3 }),
      await createSendingCampaign(db, { count: 250 }),
      await createSendingCampaign(db),
    ];
    await claim(none);
    const chunk = ({ campaignId }: NewCampaign, chunkNo = 0) => ({ campaignId, chunkNo });

    const claimed = await claimChunks(
      db,
      [chunk(two, 1), chunk(one), chunk(none), chunk(one), chunk(two), chunk(one, 7)],
      { owner: 'worker', leaseMs: LEASE_MS, rowsMax: 120 },
    );

    expect(claimed.map((rows) => rows.length)).toEqual([50, 3, 0, 0, 120, 0]);
    const { rows } = await db.sql.query<{ id: string; campaign_id: string; chunk_no: number }>(
      'select id, campaign_id, chunk_no from deliveries where id = any($1)',
      [claimed.flat().map(({ deliveryId }) => deliveryId)],
    );
    const homes = new Map(rows.map((row) => [row.id, `${row.campaign_id} ${row.chunk_no}`]));
    const homesOf = (index: number) => [
      ...new Set(claimed[index]?.map(({ deliveryId }) => homes.get(deliveryId))),
    ];
    expect([homesOf(0), homesOf(1), homesOf(4)]).toEqual([
      [`${two.campaignId} 1`],
      [`${one.campaignId} 0`],
      [`${two.campaignId} 0`],
    ]);
  });

  test('takes no more rows than asked for, and leaves those that are not due', async () => {
    const campaign = await createSendingCampaign(db, { count: 5 });
    await db.sql.query(
      `update deliveries set next_at = now() + interval '1 hour' where id = (select min(id::text)::uuid from deliveries where campaign_id = $1)`,
      [campaign.campaignId],
    );

    expect(await claim(campaign, { rowsMax: 3 })).toHaveLength(3);
    expect(await claim(campaign)).toHaveLength(1);
    expect(await claim(campaign)).toEqual([]);
  });

  test.each(['queued', 'paused', 'completed', 'canceled', 'failed'])(
    'takes nothing of a campaign that is %s',
    async (status) => {
      const campaign = await createSendingCampaign(db);
      await db.sql.query('update campaigns set status = $2 where id = $1', [
        campaign.campaignId,
        status,
      ]);

      expect(await claim(campaign)).toEqual([]);
    },
  );

  test('takes over a claim whose lease ended, and no other', async () => {
    const campaign = await createSendingCampaign(db);
    await claimOne(campaign);
    expect(await claim(campaign, { owner: 'worker-2' })).toEqual([]);

    await endLeases(campaign);

    expect(await claim(campaign, { owner: 'worker-2' })).toMatchObject([{ fence: 2 }]);
  });

  test('never takes a row that is being sent, even when its lease ended', async () => {
    const campaign = await createSendingCampaign(db);
    await armOne(campaign);
    await endLeases(campaign);

    expect(await claim(campaign, { owner: 'worker-2' })).toEqual([]);
  });

  test.each(['sent', 'failed', 'unknown', 'expired', 'canceled', 'waiting'])(
    'never takes a row that is %s',
    async (state) => {
      const campaign = await createSendingCampaign(db);
      await db.sql.query('update deliveries set state = $2 where campaign_id = $1', [
        campaign.campaignId,
        state,
      ]);

      expect(await claim(campaign)).toEqual([]);
    },
  );
});

describe('mark', () => {
  test('lets each row be sent once, and counts the attempt', async () => {
    const campaign = await createSendingCampaign(db);
    const claimed = await claimOne(campaign);

    const marked = await Promise.all([1, 2, 3, 4].map(() => markSending(db, [claimed], LEASE_MS)));

    expect(marked.filter((ids) => ids.size > 0)).toHaveLength(1);
    expect(await rowOf(campaign)).toMatchObject({ state: 'sending', attempts: 1, fence: 1 });
  });

  test('of several groups each gets its own, and a claim that two of them have is marked for the first', async () => {
    const [one, two] = [
      await createSendingCampaign(db, { count: 2 }),
      await createSendingCampaign(db),
    ];
    const [first, second] = await claim(one);
    const [other] = await claim(two);
    if (first === undefined || second === undefined || other === undefined)
      throw new Error('nothing to claim');

    expect(
      await markGroupsSending(db, [[first], [other, first], [second, second], []], LEASE_MS),
    ).toEqual([
      new Set([first.deliveryId]),
      new Set([other.deliveryId]),
      new Set([second.deliveryId]),
      new Set(),
    ]);
  });

  test('a claim that was taken over is not marked because its heir is in the same statement', async () => {
    const campaign = await createSendingCampaign(db);
    const zombie = await claimOne(campaign);
    await endLeases(campaign);
    const heir = await claimOne(campaign);

    expect(await markGroupsSending(db, [[zombie], [heir]], LEASE_MS)).toEqual([
      new Set(),
      new Set([heir.deliveryId]),
    ]);
  });

  test.each(['paused', 'canceled', 'completed', 'failed'])(
    'refuses rows of a campaign that was %s meanwhile',
    async (status) => {
      const campaign = await createSendingCampaign(db);
      const claimed = await claimOne(campaign);
      await db.sql.query('update campaigns set status = $2 where id = $1', [
        campaign.campaignId,
        status,
      ]);

      expect(await markSending(db, [claimed], LEASE_MS)).toEqual(new Set());
      expect(await rowOf(campaign)).toMatchObject({ state: 'claimed', attempts: 0 });
    },
  );

  test('refuses rows of a campaign that expired meanwhile', async () => {
    const campaign = await createSendingCampaign(db);
    const claimed = await claimOne(campaign);
    await db.sql.query('update campaigns set expires_at = now() where id = $1', [
      campaign.campaignId,
    ]);

    expect(await markSending(db, [claimed], LEASE_MS)).toEqual(new Set());
  });

  test('rejects a claim whose lease ended, even if no other worker took it over', async () => {
    const campaign = await createSendingCampaign(db);
    const claimed = await claimOne(campaign);
    await endLeases(campaign);

    expect(await markSending(db, [claimed], LEASE_MS)).toEqual(new Set());
  });

  test('refuses a row that was never claimed', async () => {
    const campaign = await createSendingCampaign(db);
    const [delivery] = await listDeliveries(db, campaign.campaignId, { limit: 1 });

    expect(
      await markSending(db, [{ deliveryId: String(delivery?.deliveryId), fence: 0 }], LEASE_MS),
    ).toEqual(new Set());
  });
});

describe('the fence', () => {
  test('a worker that comes back after its claim was taken over can neither mark nor release nor record', async () => {
    const campaign = await createSendingCampaign(db);
    const zombie = await claimOne(campaign);
    await endLeases(campaign);
    const [heir] = await claim(campaign, { owner: 'worker-2' });

    expect(await markSending(db, [zombie], LEASE_MS)).toEqual(new Set());
    await releaseClaims(db, [zombie], 0);
    expect(await rowOf(campaign)).toMatchObject({ state: 'claimed', owner: 'worker-2', fence: 2 });

    expect(await markSending(db, heir ? [heir] : [], LEASE_MS)).toEqual(
      new Set([heir?.deliveryId]),
    );
    expect(await record(zombie, { state: 'sent' })).toEqual(new Set());
    expect(await rowOf(campaign)).toMatchObject({ state: 'sending', fence: 2 });
  });
});

describe('release', () => {
  test('gives rows back unsent, due after the delay', async () => {
    const campaign = await createSendingCampaign(db);
    await releaseClaims(db, [await claimOne(campaign)], 5_000);
    const row = await rowOf(campaign);
    expect(row).toMatchObject({ state: 'pending', owner: null, attempts: 0 });
    expect(row.next_in_ms).toBeGreaterThan(3_000);
    expect(await claim(campaign)).toEqual([]);
  });

  test('leaves a row that is being sent', async () => {
    const campaign = await createSendingCampaign(db);
    await releaseClaims(db, [await armOne(campaign)], 0);

    expect(await rowOf(campaign)).toMatchObject({ state: 'sending' });
  });
});

describe('record', () => {
  test('what waits for another’s change begins from what that left', async () => {
    const campaign = await createSendingCampaign(db);
    const claimed = await armOne(campaign);

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
    const claimed = await armOne(campaign);

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

    await record(await armOne(campaign), {
      state: 'retry_wait',
      reason: 'provider_unavailable',
      providerCode: '503',
      providerMessage: 'HTTP 503',
    });
    await record(await armOne(campaign), { state: 'sent', providerCode: '204' });

    expect(await listDeliveries(db, campaign.campaignId, { limit: 5 })).toMatchObject([
      { status: 'sent', providerCode: '204', providerMessage: null },
    ]);
  });

  test('says when a row was sent, not when it was made', async () => {
    const campaign = await createSendingCampaign(db);
    const claimed = await armOne(campaign);
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
    for (const change of attempts) await record(await armOne(campaign), change);

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
    await record(await armOne(campaign), {
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
    await record(await armOne(campaign), { state: 'pending', isAttemptReturned: true });

    expect(await rowOf(campaign)).toMatchObject({ state: 'pending', attempts: 0 });
  });

  test('a late outcome moves an unknown row to sent, by its fence only', async () => {
    const campaign = await createSendingCampaign(db);
    const claimed = await armOne(campaign);
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
      const claimed = await armOne(campaign);
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
