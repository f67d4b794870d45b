import { openBus } from '@tidings/bus';
import type { InboxChannel, Lane } from '@tidings/contracts/channels/channels';
import { CHUNK_ROWS_MAX } from '@tidings/contracts/ingest/records';
import { workerName } from '@tidings/contracts/topics';
import { openCoordination } from '@tidings/coordination';
import { claimOwner } from '@tidings/delivery/claims';
import type { MarkSending } from '@tidings/delivery/mark-sending-within-caps';
import { deliverToInbox } from '@tidings/delivery/deliver-to-inbox';
import type { Service, ServiceContext, ServiceDefinition } from '@tidings/platform';
import { databaseFrom } from '@tidings/postgres/database';
import { untilMigrated } from '@tidings/postgres/schema-version';
import { renderPool } from '@tidings/templates/process-pool';
import { LRUCache } from 'lru-cache';
import { createChunkStatements } from './chunk-statements.ts';
import type { inboxWorkerConfig, InboxWorkerConfig } from './config.ts';
import { deliverChunkToInbox, type InboxDependencies } from './deliver-to-inbox.ts';
import { createDetachedChunks } from './detached-chunks.ts';
import { consumeDispatchRecords } from './handle-dispatch-records.ts';
import { renderingTimes } from './rendering-waits.ts';
import { createPolicyCache, createCampaignCache } from './settings-cache.ts';

/** The worker of a channel whose messages devices fetch. See this package's README.md. */
export function inboxWorker({
  channel,
  config,
}: {
  readonly channel: InboxChannel;
  readonly config: typeof inboxWorkerConfig;
}): ServiceDefinition<typeof inboxWorkerConfig> {
  return {
    name: workerName(channel),
    config,
    start: (values, ctx) => startInboxWorker(channel, values, ctx),
  };
}

async function startInboxWorker(
  channel: InboxChannel,
  config: InboxWorkerConfig,
  ctx: ServiceContext,
): Promise<Service> {
  const { logger, clock, ids, shared, end } = ctx;
  const name = workerName(channel);
  const db = databaseFrom(config, name, { shared, isKeyed: true });
  await untilMigrated(db, logger);
  const bus = openBus(config, { service: name, logger, shared, db, onBroken: end });
  const coordination = await openCoordination(config, ctx, name);
  // If the notification is lost, devices find the message at their next poll.
  const onDelivered = (userIds: readonly string[]): void =>
    void coordination.inboxWakeUps.publish(userIds).catch(() => undefined);
  const deps = {
    ...inboxDependencies({
      db,
      channel,
      owner: claimOwner(ids.uuid()),
      claimLeaseMs: config.claimLeaseMs,
      onDelivered,
    }),
    clock,
    logger,
  };
  // No provider, so a chunk is slow only while its messages are rendered.
  const detachedChunks = createDetachedChunks({
    ...DETACHED,
    timers: clock,
    onError: (err) => logger.warn({ err }, 'detached chunk failed, it will be dispatched again'),
  });
  const consumer = await consumeDispatchRecords(bus, channel, {
    clock,
    logger,
    handleChunk: (chunkToSend, signal) => deliverChunkToInbox(deps, chunkToSend, signal),
    detachedChunks,
  });
  return {
    isAlive: () => consumer.isAlive(),
    async stopIntake() {
      await consumer.stop();
      await detachedChunks.drain();
    },
    async disconnect() {
      await bus.disconnect();
      await db.close();
      await coordination.close();
    },
  };
}

/** As in a worker with the usual number of sends at a time. */
const DETACHED = { afterMs: 15, max: 60, ownedMax: 40 } as const;

/** Maximum deliveries with a pending notification. Entries of failed groups are evicted. */
const PENDING_USERS_MAX = 10_000;

type InboxOptions = Pick<InboxDependencies, 'db'> & {
  readonly channel: InboxChannel;
  readonly owner: string;
  readonly claimLeaseMs: number;
  readonly onDelivered: (userIds: readonly string[]) => void;
};

/** Dependencies of `deliverChunkToInbox`. Delivering to the inbox replaces marking rows sending. */
export function inboxDependencies({
  db,
  channel,
  owner,
  claimLeaseMs,
  onDelivered,
}: InboxOptions): Omit<InboxDependencies, 'clock' | 'logger'> {
  // Users to notify after the commit; under caps that is later than the statement.
  const users = new LRUCache<string, string>({ max: PENDING_USERS_MAX });
  const renderedMessages = new Map<string, string>();
  const mark: MarkSending = async (sql, deliveries) => {
    const delivered = await deliverToInbox({ sql }, deliveries, renderedMessages);
    for (const { deliveryId, userId } of delivered) users.set(deliveryId, userId);
    return new Set(delivered.map(({ deliveryId }) => deliveryId));
  };
  const rows = { express: CHUNK_ROWS_MAX, bulk: CHUNK_ROWS_MAX } as const satisfies Record<
    Lane,
    number
  >;
  return {
    channelName: channel,
    db,
    mark,
    renderedMessages,
    notifyDevices(deliveryIds) {
      const told = new Set<string>();
      for (const deliveryId of deliveryIds) {
        const userId = users.get(deliveryId);
        if (userId !== undefined) told.add(userId);
        users.delete(deliveryId);
      }
      if (told.size > 0) onDelivered([...told]);
    },
    cache: createCampaignCache(db),
    policies: createPolicyCache(db, channel),
    statements: createChunkStatements(db, {
      channel,
      owner,
      leaseMs: claimLeaseMs,
      rowsMax: rows.bulk,
      expressRowsMax: rows.express,
      sendLeaseMs: claimLeaseMs,
      mark,
    }),
    sendLeaseMs: claimLeaseMs,
    ...renderingTimes(claimLeaseMs),
    renderWaitMs: (applicationId) => renderPool.waitedMs(applicationId),
  };
}
