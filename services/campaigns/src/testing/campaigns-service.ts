import { BusUnavailableError, createMemoryBus, type MemoryBus } from '@tidings/bus';
import type { ChunkRef, DispatchRecord } from '@tidings/contracts/ingest/records';
import { TOPICS, dispatchTopic, workerName } from '@tidings/contracts/topics';
import { acceptCampaign, type NewCampaign } from '@tidings/delivery/accept';
import { readCampaign } from '@tidings/campaign-reports/reports';
import type { Database } from '@tidings/postgres/database';
import {
  createRecordingLogger,
  createSendingApplication,
  newCampaign,
  registerUsers,
  someIds,
} from '@tidings/testing';
import { createChunkDispatcher } from '@tidings/chunk-dispatch/dispatch-chunks';
import { handleQueuedCampaigns } from '../handle-queued-campaigns.ts';
import { expandBulk } from '../expand-bulk.ts';
import { createBulkDispatcher } from '../bulk-dispatcher.ts';
import { expandLeftBehind, sweep } from '../sweep.ts';

export const SETTINGS = { redispatchAfterMs: 30_000 };

export const unending = new AbortController().signal;

/** Reads every dispatch record of the e-mail topics, as a worker does, and ignores it. */
export async function readPointers(
  bus: MemoryBus,
): Promise<{ readonly pointers: DispatchRecord[]; readonly stop: () => Promise<void> }> {
  const pointers: DispatchRecord[] = [];
  const consumer = await bus.consume({
    group: workerName('EMAIL'),
    topics: [dispatchTopic('EMAIL', 'express'), dispatchTopic('EMAIL', 'bulk')],
    handleBatch: async ({ records }) => {
      pointers.push(...records.map(({ value }) => JSON.parse(value.toString()) as DispatchRecord));
    },
  });
  return { pointers, stop: () => consumer.stop() };
}

export const chunkNosOf = ({ campaignId }: NewCampaign, pointers: readonly ChunkRef[]): number[] =>
  pointers
    .filter((chunk) => chunk.campaignId === campaignId)
    .map(({ chunkNo }) => chunkNo)
    .toSorted((a, b) => a - b);

/** Helpers for tests of a campaigns service on one database. */
export function campaignsHelpers(db: Database) {
  /** A campaigns service with its own bus, and the records it dispatched. */
  async function campaignsService({
    bus = createMemoryBus(),
    database = db,
    keyedDb = database,
  }: {
    readonly bus?: MemoryBus;
    readonly database?: Database;
    readonly keyedDb?: Database;
  } = {}) {
    const { logger, lines } = createRecordingLogger();
    const deps = {
      db: database,
      keyedDb,
      dispatcher: createChunkDispatcher({ bus, producer: await bus.producer(), keyedDb }),
      logger,
    };
    const bulkFeed = createBulkDispatcher(deps, { recordsMax: 100, ...SETTINGS });
    return {
      ...deps,
      analyticsMemoryMiB: 16,
      bus,
      lines,
      dispatchDue: () => bulkFeed.dispatchDue(),
      sweep: async () => {
        await sweep(deps, SETTINGS, unending);
        // In the service loops of their own, which try again when the broker is away.
        for (const loop of [
          () => expandLeftBehind(deps, unending),
          () => expandBulk(deps, unending),
          () => bulkFeed.dispatchDue(),
        ]) {
          await loop().catch((error: unknown) => {
            if (!(error instanceof BusUnavailableError)) throw error;
          });
        }
      },
      consume: () =>
        bus.consume({
          group: 'campaigns',
          topics: [TOPICS.campaigns],
          handleBatch: (batch) => handleQueuedCampaigns(deps, batch),
        }),
      async announceCampaign(value: string) {
        await (await bus.producer()).produce(TOPICS.campaigns, [{ key: 'same partition', value }]);
      },
    };
  }

  async function accepted(
    count: number,
    overrides: Partial<NewCampaign> = {},
  ): Promise<NewCampaign> {
    const { applicationId } = await createSendingApplication(db);
    const recipients = someIds(count);
    await registerUsers(db, applicationId, recipients);
    const campaign = newCampaign({
      applicationId,
      recipients,
      createdAt: Date.now() - 60_000,
      ...overrides,
    });
    await acceptCampaign(db, campaign);
    return campaign;
  }

  const makeDue = ({ campaignId }: NewCampaign) =>
    db.sql.query('update campaign_chunks set due_at = now() where campaign_id = $1', [campaignId]);

  const recordOf = ({ applicationId, campaignId }: NewCampaign) =>
    readCampaign(db, applicationId, campaignId);

  return { campaignsService, accepted, makeDue, recordOf };
}
