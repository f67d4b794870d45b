import { afterAll, describe, expect, test } from '@jest/globals';
import { dueChunks } from '@tidings/delivery/chunks';
import { claimChunk } from '@tidings/delivery/claims';
import { markSending } from '@tidings/delivery/mark-sending';
import { expandNextChunks, startCampaign } from '@tidings/delivery/expand';
import type { Database } from '@tidings/postgres/database';
import { createOwnDatabase, eventually } from '@tidings/testing';
import { sweep } from './sweep.ts';
import {
  campaignsHelpers,
  SETTINGS,
  unending,
  readPointers,
  chunkNosOf,
} from './testing/campaigns-service.ts';

// Sweeps work over the whole database.
const db = await createOwnDatabase();
afterAll(() => db.close());
const { campaignsService, accepted, recordOf } = campaignsHelpers(db);

describe('a sweep', () => {
  test('goes on with the rest when one part fails, and says which', async () => {
    const query = db.sql.query.bind(db.sql) as (...args: unknown[]) => unknown;
    const broken: Database = {
      ...db,
      transaction: (work) => db.transaction(work),
      sql: {
        query: ((...args: unknown[]) =>
          String(args[0]).includes("'campaign.completed'")
            ? Promise.reject(new Error('bug'))
            : query(...args)) as Database['sql']['query'],
      },
    };
    const service = await campaignsService({ database: broken });
    const campaign = await accepted(1);
    const reader = await readPointers(service.bus);

    await service.sweep();

    await eventually(() => expect(chunkNosOf(campaign, reader.pointers)).toEqual([0]));
    expect(service.lines).toContainEqual(
      expect.objectContaining({
        msg: 'sweep failed, the next one retries',
        work: 'completion',
      }),
    );
    await reader.stop();
  });

  test('settles what it can while the broker is away', async () => {
    const service = await campaignsService();
    const campaign = await accepted(2);
    await service.sweep();
    const claimed = await claimChunk(db, {
      campaignId: campaign.campaignId,
      chunkNo: 0,
      owner: 'worker',
      leaseMs: 60_000,
      rowsMax: 10,
    });
    await markSending(db, claimed, 0);
    service.bus.setAvailable(false);

    await service.sweep();

    expect(await recordOf(campaign)).toMatchObject({
      status: 'completed',
      counts: { unknown: 2, pending: 0 },
    });
  });

  test('reports success: not while due chunks cannot be dispatched', async () => {
    const service = await campaignsService();
    const campaign = await accepted(1);
    await startCampaign(db, campaign.campaignId);
    await expandNextChunks(db, campaign.campaignId);
    await db.sql.query(
      `update campaign_chunks set due_at = now() - interval '1 second' where campaign_id = $1`,
      [campaign.campaignId],
    );
    service.bus.setAvailable(false);
    const whileAway = await sweep(service, SETTINGS, unending);
    service.bus.setAvailable(true);
    await db.sql.query(
      `update campaign_chunks set due_at = now() - interval '1 second' where campaign_id = $1`,
      [campaign.campaignId],
    );

    expect([whileAway, await sweep(service, SETTINGS, unending)]).toEqual([false, true]);
  });

  test('ends early when the service stops', async () => {
    const service = await campaignsService();
    const campaign = await accepted(1);

    await sweep(service, SETTINGS, AbortSignal.abort());

    expect(await recordOf(campaign)).toMatchObject({ status: 'queued' });
    expect(await dueChunks(db)).not.toContainEqual(
      expect.objectContaining({ campaignId: campaign.campaignId }),
    );
  });
});
