import { afterAll, describe, expect, test } from '@jest/globals';
import type { FunnelDefinition } from '@tidings/contracts/analytics/funnels';
import type { Condition } from '@tidings/contracts/segments/conditions';
import { createOwnDatabase } from '@tidings/testing';
import { createFindMembers } from './find-members.ts';
import { campaignsHelpers } from './testing/campaigns-service.ts';
import { excluding, german, ofSegment, segmentCampaigns } from './testing/segment-campaigns.ts';

// Sweeps work over the whole database.
const db = await createOwnDatabase({ poolMax: 8 });
afterAll(() => db.close());
const { recordOf } = campaignsHelpers(db);
const { application, write, accept, takeAll, take, recipientsOf, eventsOf } = segmentCampaigns(db);

describe('a campaign to who dropped out of a funnel', () => {
  const bought: FunnelDefinition = {
    steps: [{ event: 'viewd' }, { event: 'order' }],
    window: '1h',
  };
  const dropped: Condition = { funnel: 'buying', state: 'dropped', step: 1, within: '30d' };
  /** All viewed, the first bought. */
  async function shop(count: number): Promise<string> {
    const applicationId = await application(count);
    await db.sql.query(
      `insert into definitions (application_id, slug, kind, name, origin)
       select $1, slug, 'action', slug, 'auto' from unnest(array['viewd', 'order']) slug`,
      [applicationId],
    );
    await db.sql.query(
      `insert into events (request_id, message_index, application_id, user_id, message_id, type, slug, time, received_at)
       select gen_random_uuid(), 0, $1, u.id, 'm', 'action', d.slug, $2, now()
       from users u join definitions d on d.application_id = u.application_id
         and (d.slug = 'viewd' or u.custom_user_id = 'user 0')
       where u.application_id = $1`,
      [applicationId, Date.now() - 7_200_000],
    );
    return applicationId;
  }
  const putFunnel = (applicationId: string, definition: FunnelDefinition) =>
    db.sql.query(
      `insert into funnels (application_id, slug, name, definition, version, updated_by)
       values ($1, 'buying', 'Buying', $2, 1, 'test')
       on conflict (application_id, slug) do update set definition = excluded.definition`,
      [applicationId, JSON.stringify(definition)],
    );

  test('has them, and keeps the funnel as it was', async () => {
    const applicationId = await shop(3);
    await putFunnel(applicationId, bought);
    await write(applicationId, 'lost', { all: [german, dropped] });
    const campaign = await accept(applicationId, ofSegment({ segment: 'lost', recheck: true }));

    await takeAll();
    await putFunnel(applicationId, { ...bought, window: '1d' });

    expect(await recipientsOf(campaign)).toEqual(['user 1', 'user 2']);
    const { rows } = await db.sql.query<{ condition: unknown }>(
      `select audience -> 'condition' as condition from campaigns where id = $1`,
      [campaign.campaignId],
    );
    expect(rows[0]?.condition).toEqual({ all: [german, { ...dropped, funnel: bought }] });
  });

  test('leaves them out', async () => {
    const applicationId = await shop(3);
    await putFunnel(applicationId, bought);
    await write(applicationId, 'lost', dropped);
    const campaign = await accept(applicationId, ofSegment({ exclude: excluding('lost') }));

    await takeAll();

    expect(await recipientsOf(campaign)).toEqual(['user 0']);
  });

  test('fails if the funnel is not there', async () => {
    const applicationId = await shop(1);
    const campaign = await accept(applicationId, ofSegment({ segment: null, condition: dropped }));

    await takeAll();

    expect(await recordOf(campaign)).toMatchObject({
      status: 'failed',
      failureReason: 'funnel_not_found',
    });
    expect(await eventsOf(campaign)).toContain(
      'campaign.failed: A funnel of the campaign does not exist: buying.',
    );
  });

  test('fails if more persons entered than its memory holds', async () => {
    const applicationId = await shop(1);
    await putFunnel(applicationId, bought);
    const campaign = await accept(applicationId, ofSegment({ segment: null, condition: dropped }));

    expect(await take(campaign, { findMembers: createFindMembers(db, 0.1) })).toEqual({
      outcome: 'failed',
      reason: 'too_many_persons',
    });
    expect((await eventsOf(campaign)).join()).toContain('than 0.1 MiB hold');
  });
});
