import { afterAll, expect, test } from '@jest/globals';
import { createMemoryBus } from '@tidings/bus';
import { TOPICS } from '@tidings/contracts';
import { acceptCampaign } from '@tidings/delivery/accept';
import { expandNextChunks, startCampaign } from '@tidings/delivery/expand';
import { metricsRegistry } from '@tidings/platform';
import {
  createOwnDatabase,
  createSendingApplication,
  newCampaign,
  registerUsers,
  someIds,
} from '@tidings/testing';
import { reportBacklog } from './measure-backlog.ts';

// Its numbers are of the whole database.
const db = await createOwnDatabase();
afterAll(() => db.close());

/** A sample as a scrape has it. */
async function sample(
  name: string,
  labels: Readonly<Record<string, string>>,
): Promise<number | undefined> {
  const metric = await metricsRegistry.getSingleMetric(name)?.get();
  return metric?.values.find((value) =>
    Object.entries(labels).every(([label, wanted]) => value.labels[label] === wanted),
  )?.value;
}

test('a scrape tells what each channel has to send, since when, and what each group has not read', async () => {
  const bus = createMemoryBus();
  const { applicationId } = await createSendingApplication(db);
  const people = someIds(3);
  await registerUsers(db, applicationId, people);
  const expanded = newCampaign({
    applicationId,
    recipients: people,
    createdAt: Date.now() - 60_000,
  });
  await acceptCampaign(db, expanded);
  await startCampaign(db, expanded.campaignId);
  await expandNextChunks(db, expanded.campaignId);
  await acceptCampaign(db, newCampaign({ applicationId, recipients: someIds(2) }));
  const producer = await bus.producer();
  await producer.produce(TOPICS.campaigns, [
    { key: 'a', value: '{}' },
    { key: 'b', value: '{}' },
  ]);

  await reportBacklog({ db, admin: bus.admin });

  expect(await sample('tidings_pending_recipients', { channel: 'EMAIL' })).toBe(5);
  expect(await sample('tidings_pending_recipients', { channel: 'SMS' })).toBe(0);
  expect(
    await sample('tidings_oldest_pending_campaign_seconds', { channel: 'EMAIL' }),
  ).toBeGreaterThanOrEqual(60);
  expect(await sample('tidings_oldest_pending_campaign_seconds', { channel: 'SMS' })).toBe(0);
  expect(
    await sample('tidings_consumer_lag_records', { group: 'campaigns', topic: TOPICS.campaigns }),
  ).toBe(2);
  expect(
    await sample('tidings_consumer_lag_records', { group: 'users-consumer', topic: TOPICS.ingest }),
  ).toBe(0);
});

test('paused campaigns are not in the backlog', async () => {
  await db.sql.query(`update campaigns set status = 'paused'`);

  await reportBacklog({ db, admin: createMemoryBus().admin });

  expect(await sample('tidings_pending_recipients', { channel: 'EMAIL' })).toBe(0);
});
