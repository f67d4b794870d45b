import { afterAll, expect, test } from '@jest/globals';
import type { CampaignTemplate } from '@tidings/contracts/push/templates';
import type { Condition } from '@tidings/contracts/segments/conditions';
import { connectTestDatabase } from '@tidings/testing';
import { personalCampaigns, phone } from './testing/personal-campaigns.ts';

const db = connectTestDatabase();
afterAll(() => db.close());
const { createApplication, createCampaign, send, outcomesOf } = personalCampaigns(db);

const buying = { steps: [{ event: 'viewd' }, { event: 'order' }], window: '30d' };
/** As a variant names it, and as a campaign keeps it. */
const named: Condition = { funnel: 'buying', state: 'open', step: 1, within: '30d' };
const kept: Condition = { ...named, funnel: buying };

/** Two who viewed an hour ago, and one who did not. */
async function shop(): Promise<string> {
  const applicationId = await createApplication('SMS', {
    ada: phone(1),
    bob: phone(2),
    carl: phone(3),
  });
  await db.sql.query(
    `insert into definitions (application_id, slug, kind, name, origin)
     select $1, slug, 'action', slug, 'auto' from unnest(array['viewd', 'order']) slug`,
    [applicationId],
  );
  await db.sql.query(
    `insert into funnels (application_id, slug, name, definition, version, updated_by)
     values ($1, 'buying', 'Buying', $2, 1, 'test')`,
    [applicationId, JSON.stringify(buying)],
  );
  await happens(applicationId, 'viewd', { users: ['ada', 'bob'], at: Date.now() - 3_600_000 });
  return applicationId;
}

const happens = (
  applicationId: string,
  slug: string,
  { users, at }: { readonly users: readonly string[]; readonly at: number },
) =>
  db.sql.query(
    `insert into events (request_id, message_index, application_id, user_id, message_id, type, slug, time, received_at)
     select gen_random_uuid(), 0, $1, u.id, 'm', 'action', $2, $3, now()
     from users u where u.application_id = $1 and u.custom_user_id = any($4)`,
    [applicationId, slug, at, users],
  );

const template = (variants: CampaignTemplate['variants']): readonly CampaignTemplate[] => [
  { slug: 'x', version: 1, share: 1, message: { body: 'else' }, variants },
];
const toAll = async (applicationId: string, variants: CampaignTemplate['variants'] = []) =>
  createCampaign({
    applicationId,
    channel: 'SMS',
    recipients: ['ada', 'bob', 'carl'],
    templates: template(variants),
  });

/** To all of them, each asked again before their message. */
async function toWhom(applicationId: string, condition: Condition) {
  const campaign = await toAll(applicationId);
  await db.sql.query('update campaigns set audience = $2, snapshot_at = now() where id = $1', [
    campaign.campaignId,
    JSON.stringify({ segment: null, version: null, condition, exclude: null, recheck: true }),
  ]);
  return campaign;
}

test('a variant is that of who stands somewhere in a funnel', async () => {
  const applicationId = await shop();
  await happens(applicationId, 'order', { users: ['ada'], at: Date.now() - 1_000 });
  const campaign = await toAll(applicationId, [
    {
      name: 'bought',
      condition: { funnel: 'buying', state: 'converted', within: '30d' },
      message: { body: 'bought' },
    },
    { name: 'open', condition: named, message: { body: 'open' } },
  ]);

  const sent = await send(campaign);

  expect(Object.fromEntries([...sent].map(([id, { message }]) => [id, message['body']]))).toEqual({
    ada: 'bought',
    bob: 'open',
    carl: 'else',
  });
});

test('with recheck, who buys meanwhile gets nothing, and a reason', async () => {
  const applicationId = await shop();
  const campaign = await toWhom(applicationId, kept);
  // What the funnel is by now does not count: the campaign has it as it was.
  await db.sql.query(
    `update funnels set definition = jsonb_set(definition, '{window}', '"1m"') where application_id = $1`,
    [applicationId],
  );
  await happens(applicationId, 'order', { users: ['ada'], at: Date.now() - 1_000 });

  const sent = await send(campaign);

  expect([...sent.keys()]).toEqual(['bob']);
  expect(await outcomesOf(campaign)).toMatchObject({
    ada: { status: 'failed', reason: 'left_segment', attempts: 0 },
    bob: { status: 'sent' },
    carl: { status: 'failed', reason: 'left_segment', attempts: 0 },
  });
});

test('of who dropped out, also who buys too late is left out, and who begins anew', async () => {
  const applicationId = await shop();
  const asOf = Date.now() - 60_000;
  const dropped: Condition = {
    funnel: { ...buying, window: '1m' },
    state: 'dropped',
    step: 1,
    from: asOf - 7_200_000,
    to: asOf,
  };
  const next: Condition = { event: 'order', from: asOf };
  // Before anyone looked at the number: this person is still one of it.
  await happens(applicationId, 'viewd', { users: ['carl'], at: asOf - 3_600_000 });
  await happens(applicationId, 'order', { users: ['carl'], at: asOf - 1 });
  await happens(applicationId, 'order', { users: ['ada'], at: asOf });
  const campaign = await toWhom(applicationId, { all: [dropped, { not: next }] });
  const inTimeAlone = await toWhom(applicationId, dropped);
  await happens(applicationId, 'viewd', { users: ['bob'], at: asOf + 1_000 });
  await happens(applicationId, 'order', { users: ['bob'], at: asOf + 2_000 });

  expect([...(await send(campaign)).keys()]).toEqual(['carl']);
  expect(await outcomesOf(campaign)).toMatchObject({
    ada: { reason: 'left_segment' },
    bob: { reason: 'left_segment' },
  });
  expect([...(await send(inTimeAlone)).keys()].toSorted()).toEqual(['ada', 'bob', 'carl']);
});
