import { kafkaBusFrom } from '@tidings/bus';
import { CHANNEL_SLUGS, LANES, dispatchTopic, workerName } from '@tidings/contracts';
import { databaseFrom } from '@tidings/db';
import { createEgress } from '@tidings/egress';
import { createSecretBox, repeat, runService, type ConfigOf, type ConfigSpec, type Service, type ServiceContext } from '@tidings/platform';
import { connectRedis, createRateLimiters, createSharedBuckets } from '@tidings/redis';
import { createAccounts } from './accounts/accounts.ts';
import { createPaces } from './accounts/pace.ts';
import type { ChannelDefinition } from './channel.ts';
import { channelWorkerConfig, type ChannelWorkerConfig } from './config.ts';
import { handlePointers } from './handle-pointers.ts';
import { lookUpUnknown } from './look-up-unknown.ts';
import { createRecorder } from './recorder.ts';
import { createPolicyCache } from './policies/policy-cache.ts';
import type { SenderDependencies } from './send-chunk.ts';
import { createSendSlots } from './send-slots.ts';
import { createSettingsCache } from './settings-cache.ts';
import { createUnmappedErrors } from './unmapped-errors.ts';

const SLOT_WAIT_MS = 20_000;
const LOOK_UP_INTERVAL_MS = 1_000;

/** The whole process of one channel's worker; see README.md of this package for the protocol. */
export function runChannelWorker<S extends ConfigSpec>(definition: ChannelDefinition<S>): Promise<void> {
  return runService({
    name: workerName(definition.channel),
    config: { ...channelWorkerConfig, ...definition.config },
    start: (config, ctx) => startChannelWorker(definition, config as ChannelWorkerConfig & ConfigOf<S>, ctx),
  });
}

async function startChannelWorker<S extends ConfigSpec>(
  definition: ChannelDefinition<S>,
  config: ChannelWorkerConfig & ConfigOf<S>,
  { logger, clock, ids }: ServiceContext,
): Promise<Service> {
  const name = workerName(definition.channel);
  const bus = kafkaBusFrom(config, { service: name, logger });
  const db = databaseFrom(config, name, { isKeyed: true });
  const channel = definition.create(config, { egress: createEgress(config), logger, concurrency: config.sendConcurrency });
  const redis = connectRedis(config, { logger, name });
  const limiterOf = createRateLimiters({ shared: createSharedBuckets(redis, ids.uuid()), clock, logger, replicas: config.sendRateShareReplicas });
  const owner = ids.uuid();
  const slots = createSendSlots(config.sendConcurrency);
  const deps: SenderDependencies = {
    channelName: definition.channel,
    channel,
    db,
    accounts: createAccounts({ channelName: definition.channel, channel, db, slots, clock, logger, owner }),
    paces: createPaces({ limiter: limiterOf(`send-${CHANNEL_SLUGS[definition.channel]}`), clock, perSecond: config.sendRatePerSecond }),
    recorder: createRecorder(db, logger),
    unmapped: createUnmappedErrors(definition.channel),
    cache: createSettingsCache(db, createSecretBox(config.encryptionKey), definition.channel),
    policies: createPolicyCache(db, definition.channel),
    clock,
    logger,
    owner,
    claimLeaseMs: config.claimLeaseMs,
    sendLeaseMs: config.sendLeaseMs,
    claimRowsMax: config.sendConcurrency * 2,
    slotWaitMs: SLOT_WAIT_MS,
  };

  const expressTopic = dispatchTopic(definition.channel, 'express');
  const consumer = await bus.consume({
    group: name,
    topics: LANES.map((lane) => dispatchTopic(definition.channel, lane)),
    partitionsConcurrently: 6,
    // A chunk takes as long as its provider, and pointers of the express lane are not to wait for the next read.
    detachAfterMs: 20,
    handleBatch: (batch) => handlePointers(deps, batch, batch.topic === expressTopic ? 'express' : 'bulk'),
  });
  const stopping = new AbortController();
  const lookingUp = startLookUps(deps, stopping.signal);
  return {
    isAlive: () => consumer.isAlive(),
    // Handlers stop arming at once, wait for their sends, record them and give the rest back.
    async stopIntake() {
      stopping.abort();
      await Promise.all([consumer.stop(), lookingUp]);
    },
    async disconnect() {
      await channel.close?.();
      await deps.accounts.close();
      redis.disconnect();
      await bus.disconnect();
      await db.close();
    },
  };
}

/** Asks the provider again and again about outcomes that are unknown, where it can be asked. */
function startLookUps({ channel: { lookUp }, ...deps }: SenderDependencies, signal: AbortSignal): Promise<void> {
  if (lookUp === undefined) return Promise.resolve();
  return repeat(LOOK_UP_INTERVAL_MS, () => lookUpUnknown({ ...deps, lookUp }, signal), {
    signal,
    onError: (error) => deps.logger.warn({ err: error }, 'unknown outcomes could not be read, looking again'),
  });
}
