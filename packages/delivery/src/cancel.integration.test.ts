import { afterAll, describe, expect, test } from '@jest/globals';
import {
  createOwnDatabase,
  createSendingApplication,
  createSendingCampaign,
  expandAll,
  newCampaign,
  recount,
  registerUsers,
  someIds,
} from '@tidings/testing';
import { acceptCampaign } from './accept.ts';
import { changeDeliveryStates } from './change-states.ts';
import { releaseClaims } from './claims.ts';
import { markSending } from './mark-sending.ts';
import { expandNextChunks, expandSmallCampaigns } from './expand.ts';
import { applyStatusUpdate } from './status-updates.ts';
import { expireSendingLeases } from './sweeps.ts';
import { resolveUnknownRecipients } from './unknown-recipients.ts';
import { LEASE_MS, controlOf } from './testing/controlled-campaigns.ts';

// Sweeps work over the whole database.
const db = await createOwnDatabase();
afterAll(() => db.close());
const {
  act,
  claim,
  claimAndMarkSending,
  settle,
  pass,
  countsOf,
  typesOf,
  markedChunks,
  dispatched,
  halfExpanded,
} = controlOf(db);

describe('cancel', () => {
  test('of a campaign not started yet: every recipient counts as canceled at once and soon has a delivery', async () => {
    const { applicationId } = await createSendingApplication(db);
    const campaign = newCampaign({ applicationId, recipients: someIds(450) });
    await acceptCampaign(db, campaign);

    await act(campaign, 'cancel');

    expect(await countsOf(campaign)).toEqual({ canceled: 450 });
    expect((await expandSmallCampaigns(db, [campaign.campaignId])).chunks).toEqual([]);
    await pass();
    expect((await recount(db, campaign.campaignId)).groups).toEqual({ canceled: 450 });
    expect(await countsOf(campaign)).toEqual({ canceled: 450 });
    expect((await typesOf(campaign)).filter((type) => type === 'delivery.canceled')).toHaveLength(
      450,
    );
    expect(await dispatched(campaign)).toEqual([]);
  });

  test('during the expansion of a large campaign: what is expanded and what is not, each recipient once', async () => {
    const campaign = await halfExpanded();
    const expanding = (async () => {
      while ((await expandNextChunks(db, campaign.campaignId)) !== null);
    })();
    const [result] = await Promise.all([act(campaign, 'cancel'), expanding]);
    expect(result).toEqual({ outcome: 'done' });
    await countsOf(campaign);

    await Promise.all([pass(), pass()]);
    await pass();

    expect(await countsOf(campaign)).toEqual({ canceled: 2_450 });
    expect((await recount(db, campaign.campaignId)).groups).toEqual({ canceled: 2_450 });
    expect(await markedChunks(campaign)).toBe(0);
    expect(await expandNextChunks(db, campaign.campaignId)).toBeNull();
  }, 60_000);

  test('a row that waits for a retry after an unknown outcome ends unknown: it may have been sent', async () => {
    const campaign = await createSendingCampaign(db, { count: 2 });
    const [doubtful] = await claimAndMarkSending(campaign, 1);
    if (doubtful === undefined) throw new Error('not marked');
    await changeDeliveryStates(
      db.sql,
      ['sending'],
      [
        {
          deliveryId: doubtful.deliveryId,
          fence: doubtful.fence,
          state: 'retry_wait',
          reason: 'outcome_unknown',
        },
      ],
    );

    await act(campaign, 'cancel');

    expect(await countsOf(campaign)).toEqual({ unknown: 1, canceled: 1 });
  });

  test('while a send is in flight: its outcome counts when it comes, and another try of it is canceled', async () => {
    const campaign = await createSendingCampaign(db, { count: 6 });
    const [sent, failed, again, unsent, lost] = await claimAndMarkSending(campaign, 5);
    if (!sent || !failed || !again || !unsent || !lost) throw new Error('not marked');
    await act(campaign, 'cancel');
    expect(await countsOf(campaign)).toEqual({ pending: 5, canceled: 1 });
    await pass();
    expect(await countsOf(campaign)).toEqual({ pending: 5, canceled: 1 });

    await settle([sent], 'sent');
    await settle([failed], 'failed');
    await settle([again], 'retry_wait');
    await settle([unsent], 'pending');
    await db.sql.query(
      `update deliveries set lease_until = now() - interval '1 ms' where id = $1`,
      [lost.deliveryId],
    );
    await db.sql.query(
      `update campaign_chunks set leased_until = now() - interval '1 ms' where campaign_id = $1`,
      [campaign.campaignId],
    );
    await expireSendingLeases(db);
    await pass();

    expect(await countsOf(campaign)).toEqual({ sent: 1, failed: 1, unknown: 1, canceled: 3 });
    expect(await markedChunks(campaign)).toBe(0);
    expect(await claim(campaign)).toEqual([]);
    expect(
      await applyStatusUpdate(db, {
        deliveryId: lost.deliveryId,
        fence: lost.fence,
        state: 'sent',
      }),
    ).toBe(true);
    expect(await countsOf(campaign)).toEqual({ sent: 2, failed: 1, canceled: 3 });
  });

  test('what was claimed before it is not marked, settled or given back', async () => {
    const campaign = await createSendingCampaign(db, { count: 4 });
    const claimed = await claim(campaign);
    await act(campaign, 'cancel');

    expect(await markSending(db, claimed, LEASE_MS)).toEqual(new Set());
    await changeDeliveryStates(
      db.sql,
      ['claimed'],
      claimed.slice(0, 2).map(({ deliveryId, fence }) => ({
        deliveryId,
        fence,
        state: 'failed',
        reason: 'no_address',
      })),
    );
    await releaseClaims(db, claimed, 0);

    expect(await countsOf(campaign)).toEqual({ canceled: 4 });
  });

  test('marking at the same moment: each row is sent or canceled, never both', async () => {
    const campaign = await createSendingCampaign(db, { count: 200 });
    const claimed = await claim(campaign);
    const groups = Array.from({ length: 20 }, (_, index) =>
      claimed.slice(index * 10, index * 10 + 10),
    );

    const marking = Promise.all(groups.map((group) => markSending(db, group, LEASE_MS)));
    await act(campaign, 'cancel');
    const marked = (await marking).flatMap((ids) => [...ids]);
    await settle(
      claimed.filter(({ deliveryId }) => marked.includes(deliveryId)),
      'sent',
    );
    await pass();

    expect(await countsOf(campaign)).toEqual(
      Object.fromEntries(
        Object.entries({ sent: marked.length, canceled: 200 - marked.length }).filter(
          ([, n]) => n > 0,
        ),
      ),
    );
  });

  test('a locked row is canceled by a later pass', async () => {
    const campaign = await createSendingCampaign(db, { count: 3 });
    await db.transaction(async (sql) => {
      await sql.query(
        'select 1 from deliveries where campaign_id = $1 order by id limit 1 for update',
        [campaign.campaignId],
      );
      await act(campaign, 'cancel');
      await pass();

      expect(await countsOf(campaign)).toEqual({ pending: 1, canceled: 2 });
      expect(await markedChunks(campaign)).toBe(1);
    });
    await pass();

    expect(await countsOf(campaign)).toEqual({ canceled: 3 });
    expect(await markedChunks(campaign)).toBe(0);
  });

  test('recipients still being looked up are canceled, whether they register or not', async () => {
    const { applicationId } = await createSendingApplication(db);
    const recipients = someIds(4);
    const campaign = newCampaign({ applicationId, recipients });
    await acceptCampaign(db, campaign);
    await expandAll(db, campaign.campaignId);
    await act(campaign, 'cancel');
    await registerUsers(db, applicationId, recipients.slice(0, 2));

    await resolveUnknownRecipients(db);
    await pass();

    expect(await countsOf(campaign)).toEqual({ canceled: 4 });
  });
});
