import { kafkaBusFrom } from '@tidings/bus';
import { CHUNK_ROWS_MAX, workerName, type InboxChannel, type Lane } from '@tidings/contracts';
import type { Arm } from '@tidings/delivery/arm-within-caps';
import { offerDeliveries } from '@tidings/delivery/offer';
import { runService, type Service, type ServiceContext } from '@tidings/platform';
import { databaseFrom } from '@tidings/postgres/database';
import { untilMigrated } from '@tidings/postgres/schema-version';
import { connectRedis, publishInboxWakeUp } from '@tidings/redis';
import { LRUCache } from 'lru-cache';
import { createChunkStatements } from './chunk-statements.ts';
import type { offeringWorkerConfig, OfferingWorkerConfig } from './config.ts';
import { consumePointers } from './handle-pointers.ts';
import { offerChunk, type OfferDependencies } from './offer-chunk.ts';
import { createPolicyCache } from './policies/policy-cache.ts';
import { createCampaignCache } from './settings-cache.ts';

/** The whole process of a channel whose messages are fetched by devices; see README.md of this package. */
export function runOfferingWorker({
  channel,
  config,
}: {
  readonly channel: InboxChannel;
  readonly config: typeof offeringWorkerConfig;
}): Promise<void> {
  return runService({
    name: workerName(channel),
    config,
    start: (values, ctx) => startOfferingWorker(channel, values, ctx),
  });
}

async function startOfferingWorker(
  channel: InboxChannel,
  config: OfferingWorkerConfig,
  { logger, clock, ids, end }: ServiceContext,
): Promise<Service> {
  const name = workerName(channel);
  const bus = kafkaBusFrom(config, { service: name, logger, onWedged: end });
  const db = databaseFrom(config, name, { isKeyed: true });
  await untilMigrated(db, logger);
  const redis = connectRedis(config, { logger, name });
  // When it is lost, devices find out by looking.
  const onOffered = (userIds: readonly string[]): void =>
    void publishInboxWakeUp(redis, userIds).catch(() => undefined);
  const deps = {
    ...offerDependencies({
      db,
      channel,
      owner: ids.uuid(),
      claimLeaseMs: config.claimLeaseMs,
      onOffered,
    }),
    clock,
    logger,
  };
  const consumer = await consumePointers(bus, channel, {
    clock,
    logger,
    handleChunk: (placed, signal) => offerChunk(deps, placed, signal),
    // Nobody's provider is waited for.
    stragglers: { waitFor: (work) => work },
  });
  return {
    isAlive: () => consumer.isAlive(),
    stopIntake: () => consumer.stop(),
    async disconnect() {
      redis.disconnect();
      await bus.disconnect();
      await db.close();
    },
  };
}

/** Of groups that were offered in vain nobody is told: they go by themselves. */
const USERS_TO_TELL_MAX = 10_000;

type OfferOptions = Pick<OfferDependencies, 'db'> & {
  readonly channel: InboxChannel;
  readonly owner: string;
  readonly claimLeaseMs: number;
  readonly onOffered: (userIds: readonly string[]) => void;
};

/** What `offerChunk` works with: to be armed is to be offered. */
export function offerDependencies({
  db,
  channel,
  owner,
  claimLeaseMs,
  onOffered,
}: OfferOptions): Omit<OfferDependencies, 'clock' | 'logger'> {
  // Whose they are, until they are told: after the commit, which a group under caps has later.
  const users = new LRUCache<string, string>({ max: USERS_TO_TELL_MAX });
  const arm: Arm = async (sql, deliveries) => {
    const offered = await offerDeliveries({ sql }, deliveries);
    for (const { deliveryId, userId } of offered) users.set(deliveryId, userId);
    return new Set(offered.map(({ deliveryId }) => deliveryId));
  };
  const rows = { express: CHUNK_ROWS_MAX, bulk: CHUNK_ROWS_MAX } as const satisfies Record<
    Lane,
    number
  >;
  return {
    channelName: channel,
    db,
    arm,
    tell(deliveryIds) {
      const told = new Set<string>();
      for (const deliveryId of deliveryIds) {
        const userId = users.get(deliveryId);
        if (userId !== undefined) told.add(userId);
        users.delete(deliveryId);
      }
      if (told.size > 0) onOffered([...told]);
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
      arm,
    }),
    sendLeaseMs: claimLeaseMs,
  };
}
