import { openBus } from '@tidings/bus';
import { createChunkDispatcher } from '@tidings/chunk-dispatch/dispatch-chunks';
import { AUTOMATIONS_GROUP } from '@tidings/contracts/topics';
import { createCursors } from '@tidings/partitioned-log/cursors';
import {
  createWakeUp,
  repeat,
  type Service,
  type ServiceContext,
  type ServiceDefinition,
} from '@tidings/platform';
import { databaseFrom } from '@tidings/postgres/database';
import { untilMigrated } from '@tidings/postgres/schema-version';
import { readUserChangesTopic } from '@tidings/user-changes/changes';
import { automationEngineConfig, type AutomationEngineConfig } from './config.ts';
import { createEngine, LOOKS_WHILE_BUSY } from './engine.ts';
import { lastLook } from './metrics.ts';

export const service = {
  name: 'automation-engine',
  config: automationEngineConfig,
  start: startEngine,
} satisfies ServiceDefinition<typeof automationEngineConfig>;

/** Transactions at a time, each with a shard of its own. */
const LOOPS = 2;
/** Without a look that succeeded for so long it is not ready. */
const READY_FOR_MS = 60_000;

async function startEngine(
  config: AutomationEngineConfig,
  { logger, clock, shared, end }: ServiceContext,
): Promise<Service> {
  const db = databaseFrom(config, 'automation-engine', { shared, isKeyed: true });
  await untilMigrated(db, logger);
  const bus = openBus(config, { service: 'automation-engine', logger, shared, db, onBroken: end });
  const dispatcher = createChunkDispatcher({ bus, producer: await bus.producer(), keyedDb: db });
  const { topicId } = await readUserChangesTopic(db.sql);
  await createCursors(db.sql, { group: AUTOMATIONS_GROUP, topicId });
  const stopping = new AbortController();
  const engine = createEngine(
    {
      db,
      topicId,
      logger,
      // A message that is not dispatched now is found by the sweep of the campaigns.
      dispatch: (chunks: Parameters<typeof dispatcher.dispatch>[0]) =>
        dispatcher.dispatch(chunks, 'automation').catch((error: unknown) => {
          logger.warn({ err: error }, 'messages of automations are dispatched later');
        }),
    },
    // Less than a loop waits: one that is alone looks each time.
    { lookMs: config.automationPollMs * 0.9, clock },
  );
  let succeededAt = -Infinity;
  const pause = createWakeUp();
  const lookOnce = async (): Promise<boolean> => {
    const isBusy = await engine.runOnce(stopping.signal);
    succeededAt = clock.monotonicMs();
    lastLook.setToCurrentTime();
    return isBusy;
  };
  const running = Promise.all(
    Array.from({ length: config.automationsPaused ? 0 : LOOPS }, () =>
      repeat(
        config.automationPollMs,
        async () => {
          while (await lookOnce())
            await pause.wait(config.automationPollMs / LOOKS_WHILE_BUSY, stopping.signal);
        },
        {
          signal: stopping.signal,
          onError: (error) => logger.warn({ err: error }, 'a step failed, the next one retries'),
        },
      ),
    ),
  );
  return {
    isReady: () => config.automationsPaused || clock.monotonicMs() - succeededAt <= READY_FOR_MS,
    async stopIntake() {
      stopping.abort();
      await running;
    },
    async disconnect() {
      await bus.disconnect();
      await db.close();
    },
  };
}
