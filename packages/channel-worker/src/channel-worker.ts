import { openBus } from '@tidings/bus';
import { CHANNEL_SLUGS } from '@tidings/contracts/channels/channels';
import { workerName } from '@tidings/contracts/topics';
import { openCoordination } from '@tidings/coordination';
import { claimOwner } from '@tidings/delivery/claims';
import { createEgress, type EgressConfigSpec } from '@tidings/egress';
import {
  createSecretBox,
  readEncryptionKeys,
  repeat,
  type ConfigOf,
  type ConfigSpec,
  type Service,
  type ServiceContext,
  type ServiceDefinition,
} from '@tidings/platform';
import { databaseFrom } from '@tidings/postgres/database';
import { untilMigrated } from '@tidings/postgres/schema-version';
import { renderPool } from '@tidings/templates/process-pool';
import { createAccounts } from './accounts/accounts.ts';
import { createSendRateLimiters } from './accounts/send-rate-limiter.ts';
import type { ChannelDefinition } from './channel.ts';
import { createChunkStatements } from './chunk-statements.ts';
import { channelWorkerConfig, type ChannelWorkerConfig } from './config.ts';
import { consumeDispatchRecords } from './handle-dispatch-records.ts';
import { pollOutcomes } from './poll-outcomes.ts';
import { createRecorder } from './recorder.ts';
import { renderingTimes } from './rendering-waits.ts';
import { createPolicyCache, createSettingsCache } from './settings-cache.ts';
import { sendChunk, type SenderDependencies } from './send-chunk.ts';
import { createSendSlots } from './send-slots.ts';
import { createDetachedChunks, type DetachedChunks } from './detached-chunks.ts';
import { createUnmappedErrors } from './unmapped-errors.ts';

const SLOT_WAIT_MS = 20_000;
/** Maximum wait for in-flight sends at shutdown. */
const DRAIN_TIMEOUT_MS = 15_000;
const DETACH_AFTER_MS = 15;
const DETACHED_CHUNKS_PER_SLOT = 3;
/** Per application; leaves one third for the others. */
const OWNED_DETACHED_CHUNKS_PER_SLOT = 2;
const POLL_CHECK_INTERVAL_MS = 1_000;

/** The worker of one channel. The protocol is in this package's README.md. */
export function channelWorker<S extends ConfigSpec & EgressConfigSpec>(
  definition: ChannelDefinition<S>,
): ServiceDefinition<typeof channelWorkerConfig & S> {
  return {
    name: workerName(definition.channel),
    config: { ...channelWorkerConfig, ...definition.config },
    start: (config, ctx) =>
      startChannelWorker(definition, config as ChannelWorkerConfig & ConfigOf<S>, ctx),
  };
}

async function startChannelWorker<S extends ConfigSpec & EgressConfigSpec>(
  definition: ChannelDefinition<S>,
  config: ChannelWorkerConfig & ConfigOf<S>,
  ctx: ServiceContext,
): Promise<Service> {
  const { logger, clock, ids, shared, end } = ctx;
  const name = workerName(definition.channel);
  const db = databaseFrom(config, name, { shared, isKeyed: true });
  await untilMigrated(db, logger);
  const bus = openBus(config, { service: name, logger, shared, db, onBroken: end });
  const coordination = await openCoordination(config, ctx, name);
  const channel = definition.create(config, {
    egress: createEgress(config),
    logger,
    concurrency: config.sendConcurrency,
  });
  const limiterOf = coordination.rateLimiters({ replicas: config.sendRateShareReplicas });
  const owner = ids.uuid();
  const abortingSends = new AbortController();
  const slots = createSendSlots(config.sendConcurrency);
  const deps: SenderDependencies & { readonly detachedChunks: DetachedChunks } = {
    channelName: definition.channel,
    channel,
    db,
    accounts: createAccounts({
      channelName: definition.channel,
      channel,
      db,
      slots,
      clock,
      logger,
      owner,
    }),
    rateLimiters: createSendRateLimiters({
      limiter: limiterOf(`send-${CHANNEL_SLUGS[definition.channel]}`),
      clock,
      perSecond: config.sendRatePerSecond,
    }),
    recorder: createRecorder(db, logger, { concurrency: config.sendConcurrency }),
    unmapped: createUnmappedErrors(definition.channel),
    cache: createSettingsCache(db, createSecretBox(readEncryptionKeys(config)), definition.channel),
    policies: createPolicyCache(db, definition.channel),
    // Claim no more than can be sent well before the lease ends.
    statements: createChunkStatements(db, {
      channel: definition.channel,
      owner: claimOwner(owner),
      leaseMs: config.claimLeaseMs,
      rowsMax: config.sendConcurrency * 2,
      sendLeaseMs: config.sendLeaseMs,
    }),
    clock,
    logger,
    sendLeaseMs: config.sendLeaseMs,
    giveUp: abortingSends.signal,
    slotWaitMs: SLOT_WAIT_MS,
    ...renderingTimes(config.claimLeaseMs),
    renderWaitMs: (applicationId) => renderPool.waitedMs(applicationId),
    // A failure after detaching is recovered through leases and the chunk's due time, as after a
    // kill.
    detachedChunks: createDetachedChunks({
      afterMs: DETACH_AFTER_MS,
      // Covers sends in flight, and chunks that wait for a slot until their application is known to
      // be slow.
      max: config.sendConcurrency * DETACHED_CHUNKS_PER_SLOT,
      ownedMax: config.sendConcurrency * OWNED_DETACHED_CHUNKS_PER_SLOT,
      timers: clock,
      onError: (err) => logger.warn({ err }, 'detached chunk failed, it will be dispatched again'),
    }),
  };

  const consumer = await consumeDispatchRecords(bus, definition.channel, {
    ...deps,
    handleChunk: (chunkToSend, signal) => sendChunk(deps, chunkToSend, signal),
  });
  const stopping = new AbortController();
  const polling = startPolling(deps, stopping.signal);
  return {
    isAlive: () => consumer.isAlive(),
    // Handlers stop marking rows at once, finish and record their sends, and release the rest.
    async stopIntake() {
      stopping.abort();
      const callOff = clock.after(DRAIN_TIMEOUT_MS, () => {
        logger.warn({}, 'shutdown timeout: aborting sends in flight');
        abortingSends.abort(new Error('the process is shutting down'));
      });
      await Promise.all([consumer.stop(), polling]);
      await deps.detachedChunks.drain();
      callOff();
    },
    async disconnect() {
      await channel.close?.();
      await deps.accounts.close();
      await bus.disconnect();
      await db.close();
      await coordination.close();
    },
  };
}

/** Polls the provider for unknown outcomes, if it supports polling. */
function startPolling(
  { channel: { outcomePoller }, ...deps }: SenderDependencies,
  signal: AbortSignal,
): Promise<void> {
  if (outcomePoller === undefined) return Promise.resolve();
  return repeat(POLL_CHECK_INTERVAL_MS, () => pollOutcomes({ ...deps, outcomePoller }, signal), {
    signal,
    onError: (error) =>
      deps.logger.warn({ err: error }, 'polling for unknown outcomes failed, retrying'),
  });
}
