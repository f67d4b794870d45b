import { afterAll, expect, test } from '@jest/globals';
import { acceptCampaign } from '@tidings/delivery/accept';
import {
  createSendingApplication,
  connectTestDatabase,
  expandAll,
  newCampaign,
  registerUsers,
} from '@tidings/testing';
import { exportUser } from './export-user.ts';

const db = connectTestDatabase();
afterAll(() => db.close());

test('an export has the profile, every event and every delivery, however many', async () => {
  const { applicationId } = await createSendingApplication(db);
  await registerUsers(db, applicationId, {
    ada: { email: 'ada@example.com', birthday: 9007199254740993n.toString() },
    eve: { email: 'eve@example.com' },
  });
  await addEvents(applicationId, 'ada', 1_203);
  await addEvents(applicationId, 'eve', 1);
  const campaigns = [
    newCampaign({ applicationId, recipients: ['ada', 'eve'] }),
    newCampaign({ applicationId, recipients: ['eve'] }),
    newCampaign({ applicationId, recipients: ['ada'], source: 'dashboard' }),
  ];
  for (const campaign of campaigns) {
    await acceptCampaign(db, campaign);
    await expandAll(db, campaign.campaignId);
  }

  await db.sql.query(
    `insert into delivery_data (campaign_id, delivery_id, application_id, words, rendered_at, template_no, renderer, filled_in)
     select campaign_id, id, application_id, uuidv7(), now(), 0, 1, json_build_object('big', 9007199254740993, 'of', custom_user_id)::text
     from deliveries where campaign_id = $1`,
    [campaigns[0]?.campaignId],
  );

  const exported = await exportUser(db, applicationId, 'ada');

  expect(exported?.user).toMatchObject({
    customUserId: 'ada',
    profile: { email: 'ada@example.com' },
  });
  const events = await all(exported?.events);
  expect(new Set(events.map(({ id }) => id)).size).toBe(1_203);
  expect(events.map(({ time }) => Number(time))).toEqual(
    events.map(({ time }) => Number(time)).sort((a, b) => b - a),
  );
  const deliveries = await all(exported?.deliveries);
  expect(
    deliveries.map(({ campaignId, channel, status }) => [campaignId, channel, status]),
  ).toEqual(
    [campaigns[0], campaigns[2]]
      .map((campaign) => [campaign?.campaignId, 'EMAIL', 'pending'])
      .sort(),
  );
  expect(deliveries.map(({ values }) => values)).toContainEqual({
    big: 9_007_199_254_740_993n,
    of: 'ada',
  });
  expect(deliveries.filter(({ values }) => values === null)).toHaveLength(1);
});

test('there is no export of an unregistered user, or of another application’s user', async () => {
  const [own, other] = [await createSendingApplication(db), await createSendingApplication(db)];
  await registerUsers(db, other.applicationId, ['ada']);

  expect(await exportUser(db, own.applicationId, 'ada')).toBeNull();
  expect(await exportUser(db, other.applicationId, 'ada')).not.toBeNull();
});

async function all<T>(items: AsyncIterable<T> | undefined): Promise<T[]> {
  const taken: T[] = [];
  for await (const item of items ?? []) taken.push(item);
  return taken;
}

async function addEvents(
  applicationId: string,
  customUserId: string,
  count: number,
): Promise<void> {
  await db.sql.query(
    `with definition as (
       insert into definitions (application_id, slug, kind, name, origin) values ($1, 'views', 'action', 'viewed', 'auto') on conflict do nothing)
     insert into events (request_id, message_index, application_id, user_id, message_id, type, slug, time, received_at)
     select uuidv7(), 0, $1, u.id, $2 || n, 'action', 'views', n / 7, now()
     from users u, generate_series(1, $3::int) as n where u.application_id = $1 and u.custom_user_id = $2`,
    [applicationId, customUserId, count],
  );
}
