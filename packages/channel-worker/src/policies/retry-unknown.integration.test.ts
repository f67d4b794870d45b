import { afterAll, describe, expect, test } from '@jest/globals';
import { listCampaignEvents } from '@tidings/campaign-reports/list-campaign-events';
import { expireCampaigns } from '@tidings/delivery/sweeps';
import type { SendResult } from '../channel.ts';
import { connectTestDatabase } from '@tidings/testing';
import { policyHelpers } from '../testing/policy-campaigns.ts';

const db = connectTestDatabase();
afterAll(() => db.close());
const {
  deliveries,
  applicationWith,
  campaignTo,
  registered,
  send,
  sent,
  makeDue,
  dueIn,
  countersAreRight,
} = policyHelpers(db);

describe('an unknown outcome', () => {
  const unknown = (): SendResult => ({ status: 'unknown' });

  test('of an e-mail is sent once more with the consent of the application: counted, logged, under a new fence', async () => {
    const applicationId = await applicationWith({ resendOnUnknown: { EMAIL: true } });
    const campaign = await campaignTo(applicationId, await registered(applicationId, 1));
    const first = send(campaign, { answer: unknown });
    await first.done;
    expect(await deliveries(campaign)).toMatchObject([
      { status: 'retry_wait', reason: 'outcome_unknown', attempts: 1 },
    ]);
    expect(Number(await dueIn(campaign))).toBeGreaterThan(30_000);
    await countersAreRight(campaign);

    await makeDue(campaign);
    const second = send(campaign, { answer: unknown });
    await second.done;

    expect(await deliveries(campaign)).toMatchObject([
      { status: 'unknown', reason: 'outcome_unknown', attempts: 2 },
    ]);
    expect(second.channel.calls[0]?.fence).toBe(Number(first.channel.calls[0]?.fence) + 1);
    const events = await listCampaignEvents(db, campaign.campaignId, { limit: 500 });
    expect(events.map(({ type }) => type).filter((type) => type.startsWith('delivery.'))).toEqual([
      'delivery.retry_wait',
      'delivery.unknown',
    ]);
    await countersAreRight(campaign);
  });

  test('stays unknown when the campaign expires before it is sent again', async () => {
    const applicationId = await applicationWith({ resendOnUnknown: { EMAIL: true } });
    const campaign = await campaignTo(applicationId, await registered(applicationId, 1));
    await sent(campaign, { answer: unknown });
    await db.sql.query('update campaigns set expires_at = now() where id = $1', [
      campaign.campaignId,
    ]);

    await expireCampaigns(db);

    expect(await deliveries(campaign)).toMatchObject([
      { status: 'unknown', reason: 'outcome_unknown', attempts: 1 },
    ]);
    await countersAreRight(campaign);
  });

  test('stays unknown without consent', async () => {
    const applicationId = await applicationWith({ resendOnUnknown: { SMS: true } });
    const campaign = await campaignTo(applicationId, await registered(applicationId, 1));
    await sent(campaign, { answer: unknown });

    expect(await deliveries(campaign)).toMatchObject([{ status: 'unknown' }]);
    expect(await dueIn(campaign)).toBeNull();
  });
});
