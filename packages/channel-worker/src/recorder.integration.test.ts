import { afterAll, describe, expect, test } from '@jest/globals';
import type { NewCampaign } from '@tidings/delivery/accept';
import { claimChunk, type ClaimedDelivery } from '@tidings/delivery/claims';
import { markSending } from '@tidings/delivery/mark-sending';
import { readCampaign } from '@tidings/campaign-reports/reports';
import type { Database } from '@tidings/postgres/database';
import {
  connectTestDatabase,
  createFakeClock,
  createRecordingLogger,
  createSendingCampaign,
  eventually,
} from '@tidings/testing';
import { setTimeout } from 'node:timers/promises';
import { createRecorder } from './recorder.ts';
import { failingDatabase } from './testing/test-worker.ts';

const db = connectTestDatabase();
afterAll(() => db.close());

async function armedCampaign(
  count: number,
): Promise<{ campaign: NewCampaign; marked: ClaimedDelivery[] }> {
  const campaign = await createSendingCampaign(db, { count });
  const marked = await claimChunk(db, {
    campaignId: campaign.campaignId,
    chunkNo: 0,
    owner: 'worker',
    leaseMs: 60_000,
    rowsMax: 200,
  });
  await markSending(db, marked, 60_000);
  return { campaign, marked };
}

const countsOf = async ({ applicationId, campaignId }: NewCampaign) =>
  (await readCampaign(db, applicationId, campaignId))?.counts;

/** The database, with the number of statements it was asked for. */
function counting(): Database & { readonly asked: () => number } {
  let asked = 0;
  return {
    ...failingDatabase(db, '', () => {
      asked += 1;
      return false;
    }),
    asked: () => asked,
  };
}

describe('the recorder', () => {
  test('is done when the outcome is durable, and writes those that come together in few statements', async () => {
    const { campaign, marked } = await armedCampaign(120);
    const database = counting();
    const recorder = createRecorder(database, createRecordingLogger().logger, {
      concurrency: 10,
    });

    await Promise.all(
      marked.map(({ deliveryId, fence }) => recorder.record({ deliveryId, fence, state: 'sent' })),
    );

    expect(await countsOf(campaign)).toMatchObject({ sent: 120, pending: 0 });
    expect(database.asked()).toBe(2);
  });

  test('outcomes that follow one another share a statement, of which a third of the sends in flight wait for none', async () => {
    const { campaign, marked } = await armedCampaign(8);
    const clock = createFakeClock();
    const recorder = createRecorder(db, createRecordingLogger().logger, { concurrency: 15, clock });
    const record = (from: number, to: number) =>
      Promise.all(
        marked
          .slice(from, to)
          .map(({ deliveryId, fence }) => recorder.record({ deliveryId, fence, state: 'sent' })),
      );

    await record(0, 1);
    let isWritten = false;
    const following = record(1, 3).then(() => {
      isWritten = true;
    });
    await setTimeout(50);
    expect(isWritten).toBe(false);
    clock.advance(10);
    await following;
    await record(3, 8);

    expect(await countsOf(campaign)).toMatchObject({ sent: 8, pending: 0 });
  });

  test('tries again while the database is away, and then loses nothing and counts nothing twice', async () => {
    const { campaign, marked } = await armedCampaign(3);
    const { logger, lines } = createRecordingLogger();
    let isAway = true;
    const recorder = createRecorder(
      failingDatabase(db, '', () => isAway),
      logger,
      { concurrency: 10 },
    );

    const recording = Promise.all(
      marked.map(({ deliveryId, fence }) => recorder.record({ deliveryId, fence, state: 'sent' })),
    );
    await eventually(() => expect(lines.length).toBeGreaterThanOrEqual(2));
    expect(await countsOf(campaign)).toMatchObject({ sent: 0, pending: 3 });
    isAway = false;
    await recording;

    expect(await countsOf(campaign)).toMatchObject({ sent: 3, pending: 0 });
    expect(lines.every((line) => line['msg'] === 'outcomes could not be recorded, retrying')).toBe(
      true,
    );
  });

  test('an outcome that Postgres refuses for its content holds up no other', async () => {
    const { campaign, marked } = await armedCampaign(3);
    const { logger, lines } = createRecordingLogger();
    const recorder = createRecorder(db, logger, { concurrency: 10 });

    await Promise.all(
      marked.map(({ deliveryId, fence }, index) =>
        recorder.record({
          deliveryId,
          fence,
          state: 'sent',
          ...(index === 1 && { providerMessage: 'a\u0000b' }),
        }),
      ),
    );

    expect(await countsOf(campaign)).toMatchObject({ sent: 2, pending: 1 });
    expect(lines).toMatchObject([
      {
        msg: 'outcome has invalid data, the delivery becomes unknown',
        deliveryId: marked[1]?.deliveryId,
      },
    ]);
  });
});
