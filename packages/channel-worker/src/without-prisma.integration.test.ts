import { afterAll, expect, test } from '@jest/globals';
import { listDeliveries } from '@tidings/campaign-reports/list-deliveries';
import { connectTestDatabase, createSendingCampaign } from '@tidings/testing';
import { sendChunk } from './send-chunk.ts';
import { scriptedChannel } from './testing/scripted-channel.ts';
import { testWorker } from './testing/test-worker.ts';

const db = connectTestDatabase();
afterAll(() => db.close());

test('a worker sends without Prisma, which would take 50 MiB of its memory', async () => {
  const { campaignId } = await createSendingCampaign(db);
  const plain = {
    sql: db.sql,
    transaction: db.transaction,
    close: db.close,
    prisma(): never {
      throw new Error('a worker asked for Prisma');
    },
  };

  await sendChunk(
    testWorker(plain, scriptedChannel()),
    { campaignId, chunkNo: 0 },
    new AbortController().signal,
  );

  expect(await listDeliveries(db, campaignId, { limit: 1 })).toMatchObject([{ status: 'sent' }]);
});
