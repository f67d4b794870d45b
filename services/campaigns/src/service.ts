import { openBus } from '@tidings/bus';
import { TOPICS } from '@tidings/contracts/topics';
import type { DueChunk } from '@tidings/delivery/chunks';
import {
  createWakeUp,
  repeat,
  type Service,
  type ServiceContext,
  type ServiceDefinition,
} from '@tidings/platform';
import { databaseFrom } from '@tidings/postgres/database';
import { untilMigrated } from '@tidings/postgres/schema-version';
import { campaignsConfig, type CampaignsConfig } from './config.ts';
import { createChunkDispatcher } from '@tidings/chunk-dispatch/dispatch-chunks';
import { carryOutAllActions } from './carry-out-actions.ts';
import { expandBulk } from './expand-bulk.ts';
import { createBulkDispatcher } from './bulk-dispatcher.ts';
import type { ExpansionDependencies } from './expand-small.ts';
import { handleQueuedCampaigns } from './handle-queued-campaigns.ts';
import { reportBacklog } from './measure-backlog.ts';
import { releaseDue } from './release-scheduled.ts';
import { expandLeftBehind, sweep } from './sweep.ts';
import { createSweepReadiness } from './sweep-readiness.ts';
import { createSnapshotTaker } from './take-snapshots.ts';

/** Concurrent expansion loops for large campaigns. Each uses one Postgres connection. */
const BULK_EXPANDERS = 2;
/** First tries at a time to read the recipients of a segment, each of another application. */
const SNAPSHOT_PLACES = 2;
/** Short enough that bulk workers do not run out of chunks. */
const BULK_DISPATCH_INTERVAL_MS = 200;
/** A scheduled campaign leaves within a second of its time. */
const RELEASE_INTERVAL_MS = 200;
/** About one scrape interval. */
const BACKLOG_INTERVAL_MS = 10_000;

export const service = {
  name: 'campaigns',
  config: campaignsConfig,
  start: startCampaigns,
} satisfies ServiceDefinition<typeof campaignsConfig>;

async function startCampaigns(
  config: CampaignsConfig,
  { logger, clock, shared, end }: ServiceContext,
): Promise<Service> {
  const { ordinary, keyed } = divideConnections(config.databasePoolMax);
  const db = databaseFrom({ ...config, databasePoolMax: ordinary }, 'campaigns', { shared });
  const keyedDb = databaseFrom({ ...config, databasePoolMax: keyed }, 'campaigns-sweeps', {
    shared,
    isKeyed: true,
  });
  await untilMigrated(db, logger);
  const bus = openBus(config, { service: 'campaigns', logger, shared, db, onBroken: end });
  const deps = {
    db,
    keyedDb,
    dispatcher: createChunkDispatcher({ bus, producer: await bus.producer(), keyedDb }),
    logger,
  };
  const stopping = new AbortController();

  // Started before the consumer, so that expansion continues while Kafka is away.
  const again = {
    signal: stopping.signal,
    onError: (error: unknown) => logger.warn({ err: error }, 'sweep failed, the next one retries'),
  };
  const readiness = createSweepReadiness(clock);
  const bulk = startBulk(deps, config, again);
  const segmentCame = createWakeUp();
  const snapshots = createSnapshotTaker({
    ...deps,
    clock,
    onLarge: bulk.notify,
    analyticsMemoryMiB: config.analyticsMemoryMiB,
  });
  const onOthers = (): void => {
    segmentCame.notify();
    bulk.notify();
  };
  const sweeping = Promise.all([
    repeat(
      config.sweepIntervalMs,
      () => readiness.note(() => sweep(deps, config, stopping.signal)),
      again,
    ),
    repeat(config.sweepIntervalMs, () => expandLeftBehind(deps, stopping.signal), again),
    repeat(config.sweepIntervalMs, () => carryOutAllActions(db, stopping.signal), again),
    bulk.ended,
    repeat(RELEASE_INTERVAL_MS, () => releaseDue({ ...deps, onOthers }, stopping.signal), again),
    ...Array.from({ length: SNAPSHOT_PLACES }, () =>
      repeat(config.sweepIntervalMs, () => snapshots.takeAll(stopping.signal), {
        ...again,
        wakeUp: segmentCame,
      }),
    ),
    repeat(config.sweepIntervalMs, () => snapshots.takeSlow(stopping.signal), again),
    repeat(BACKLOG_INTERVAL_MS, () => reportBacklog({ db, admin: bus.admin }), again),
  ]);
  const consumer = await bus.consume({
    group: 'campaigns',
    topics: [TOPICS.campaigns],
    partitionsConcurrently: 3,
    handleBatch: (batch) => handleQueuedCampaigns({ ...deps, onOthers }, batch),
  });

  return {
    isAlive: () => consumer.isAlive(),
    isReady: () => readiness.isReady(),
    async stopIntake() {
      stopping.abort();
      await Promise.all([consumer.stop(), sweeping]);
    },
    async disconnect() {
      await bus.disconnect();
      await keyedDb.close();
      await db.close();
    },
  };
}

/** Sweeps and dispatchers run short statements; expansion and snapshots may take long. */
const KEYED_SHARE = 1 / 3;
const KEYED_MAX = 4;
/**
 * Each place may be taken for minutes, and one of them folds funnels in a second transaction: what
 * else there is to do needs one more.
 */
const ORDINARY_MIN = SNAPSHOT_PLACES + 3;

/** How many of `total` connections are for each kind of plans: some more if it is less than six. */
function divideConnections(total: number): { readonly ordinary: number; readonly keyed: number } {
  const keyed = Math.min(KEYED_MAX, Math.ceil(total * KEYED_SHARE));
  return { ordinary: Math.max(ORDINARY_MIN, total - keyed), keyed };
}

/** Expands and dispatches large campaigns until `again.signal` aborts. */
function startBulk(
  deps: ExpansionDependencies,
  config: CampaignsConfig,
  again: Pick<Parameters<typeof repeat>[2], 'signal' | 'onError'>,
): {
  readonly ended: Promise<unknown>;
  /** A large campaign was queued. */
  readonly notify: () => void;
} {
  const dispatcher = createBulkDispatcher(deps, {
    recordsMax: config.bulkDispatchRecordsMax,
    redispatchAfterMs: config.redispatchAfterMs,
  });
  const largeCame = createWakeUp();
  const chunksCame = createWakeUp();
  const expansion = {
    ...deps,
    // Idle workers do not wait for the next dispatch interval.
    onChunks: (chunks: readonly DueChunk[]) => {
      if (chunks.some(({ channel }) => dispatcher.hasCapacity(channel))) chunksCame.notify();
    },
  };
  const expanding = Array.from({ length: BULK_EXPANDERS }, () =>
    repeat(config.sweepIntervalMs, () => expandBulk(expansion, again.signal), {
      ...again,
      wakeUp: largeCame,
    }),
  );
  const dispatching = repeat(BULK_DISPATCH_INTERVAL_MS, () => dispatcher.dispatchDue(), {
    ...again,
    wakeUp: chunksCame,
  });
  return {
    ended: Promise.all([...expanding, dispatching]),
    notify: () => largeCame.notify(),
  };
}
