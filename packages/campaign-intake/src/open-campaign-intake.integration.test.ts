import { afterAll, expect, test } from '@jest/globals';
import { busConfig, openBus } from '@tidings/bus';
import { databaseConfig } from '@tidings/postgres/database';
import { TOPICS } from '@tidings/contracts/topics';
import { readCampaign } from '@tidings/campaign-reports/reports';
import { loadConfig, readEnvironment, systemClock, systemIds } from '@tidings/platform';
import {
  connectTestDatabase,
  createRecordingLogger,
  createTestApplication,
  eventually,
} from '@tidings/testing';
import { acceptPush, type PushAnswer } from './accept-push.ts';
import { openCampaignIntake, pushConfig } from './open-campaign-intake.ts';
import { readPush } from './read-push.ts';

const db = connectTestDatabase();
const { logger } = createRecordingLogger();
const bus = openBus(loadConfig({ ...busConfig, ...databaseConfig }, readEnvironment()), {
  service: 'push-test',
  logger,
});
afterAll(async () => {
  await bus.disconnect();
  await db.close();
});

test('a push is a row in Postgres when it is answered, and on the campaigns topic after the drain; a dry run is neither', async () => {
  const { applicationId } = await createTestApplication(db);
  const pushes = openCampaignIntake(loadConfig(pushConfig, {}), {
    db,
    producer: await bus.producer(),
    logger,
  });
  const announced: string[] = [];
  const consumer = await bus.consume({
    group: `push-test-${systemIds.uuid()}`,
    topics: [TOPICS.campaigns],
    async handleBatch({ records }) {
      announced.push(...records.map(({ value }) => value.toString()));
    },
  });
  const accept = async (more: object): Promise<PushAnswer> =>
    acceptPush(
      {
        ...pushes,
        db,
        questions: null,
        deliveryRetentionDays: 90,
        clock: systemClock,
        ids: systemIds,
        logger,
      },
      await readPush({
        applicationId,
        headers: {},
        body: Buffer.from(
          JSON.stringify({ recipients: ['ada'], channel: 'SMS', message: { body: 'Hi' }, ...more }),
        ),
      }),
      { applicationId, source: 'dashboard', createdBy: 'key:test', requestId: systemIds.uuid() },
    );

  const rehearsed = await accept({ dryRun: true });
  const accepted = await accept({});
  const campaignId = accepted.outcome === 'dry_run' ? '' : accepted.campaignId;
  const stored = await readCampaign(db, applicationId, campaignId);
  await pushes.drain();

  expect(rehearsed).toMatchObject({ outcome: 'dry_run', body: { dryRun: true, reachable: 0 } });
  expect(stored).toMatchObject({ status: 'queued', source: 'dashboard', createdBy: 'key:test' });
  await eventually(() => expect(announced).toContain(JSON.stringify({ campaignId })), {
    timeoutMs: 30_000,
  });
  expect(
    (await db.sql.query('select 1 from campaigns where application_id = $1', [applicationId]))
      .rowCount,
  ).toBe(1);
  await consumer.stop();
}, 60_000);
