import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from './clock.ts';
import { ConfigError } from './config.ts';
import { drain, type DrainStep } from './drain.ts';
import { readEnvironment } from './env.ts';
import { startHealthServer } from './health-server.ts';
import { listen } from './http/listen.ts';
import { systemIds } from './ids.ts';
import { createLogger, type Logger } from './logger.ts';
import { collectProcessMetrics } from './metrics.ts';
import type { ProcessConfig } from './process-config.ts';
import { createServiceGroup, type ServiceGroup, type Stages } from './service-group.ts';
import { createShared } from './shared.ts';
import { startTracing } from './tracing/start-tracing.ts';
import { startWatchdog } from './watchdog.ts';

/** How long a process that got a stop signal waits for its own start. */
const START_GRACE_MS = 2_000;

/** What runs in a process. */
export type ProcessPlan = {
  readonly settings: ProcessConfig;
  readonly stages: Stages;
};

export type ProcessDefinition = {
  /** Names the process in its log lines and traces. */
  readonly name: string;
  /** @throws ConfigError */
  readonly plan: (
    environment: Readonly<Record<string, string>>,
  ) => ProcessPlan | Promise<ProcessPlan>;
  /** See `Shared`. Absent: no two services share anything. */
  readonly nameOf?: (user: string) => string;
};

/**
 * The life cycle of a process with its services: configuration, health, start, signals, drain.
 * Order of the drain: not ready, keep-alive off → wait → stop intake and finish work, stage by
 * stage → disconnect → traces → health server last.
 */
export async function runServices({ name, plan, nameOf }: ProcessDefinition): Promise<void> {
  const { settings, stages } = await planOrExit(name, plan);
  const logger = createLogger(name, settings.logLevel);
  exitOnBugs(logger);
  if (settings.watchdogMs > 0)
    startWatchdog({
      name,
      limitMs: settings.watchdogMs,
      onError: (err) => logger.error({ err }, 'the watchdog failed, nothing ends a stuck process'),
    });
  const byItself = Promise.withResolvers<'itself'>();
  const stopping = Promise.race([nextStopSignal(), byItself.promise]);
  const state = { isReady: false };
  const shared = createShared(nameOf);
  const isAlone = stages.flat().length === 1;

  collectProcessMetrics();
  const tracing = await startTracing(name, settings);
  const group: ServiceGroup = createServiceGroup(stages, {
    contextOf: (service) => ({
      logger: isAlone ? logger : createLogger(service, settings.logLevel),
      clock: systemClock,
      ids: systemIds,
      shared,
      listen,
      end: () => byItself.resolve('itself'),
    }),
    onStarted: (own) => own.info({ healthPort: health.port }, 'service ready'),
    onFailed: exitAtStart,
  });
  const health = await startHealthServer(
    { isReady: () => state.isReady && group.isReady(), isAlive: () => group.isAlive() },
    { host: settings.healthHost, port: settings.healthPort },
  ).catch((error: unknown) => exitAtStart(logger, error));
  // Before all have started `group.isReady` is false.
  state.isReady = true;
  // A start may hang while a store is unavailable, but a start that is almost done may have
  // accepted work, which must be drained.
  const outOfPatience = stopping.then(() => delay(START_GRACE_MS, 'still starting' as const));
  const started = await Promise.race([group.start(), outOfPatience]);
  const exitCode = async (): Promise<number> => ((await stopping) === 'itself' ? 1 : 0);
  if (!group.hasStarted()) {
    logger.info({ signal: await stopping }, 'stopped while starting');
    process.exit(await exitCode());
  }
  if (started === undefined && !isAlone)
    logger.info({ healthPort: health.port }, 'all services ready');

  logger.info({ signal: await stopping }, 'draining');
  await drainOrExit(logger, settings.drainDeadlineMs, {
    notReady: () => {
      state.isReady = false;
    },
    waitMs: settings.drainWaitMs,
    service: group,
    stopTracing: () => tracing.stop(),
    closeHealth: () => health.close(),
  });
  logger.info('service stopped');
  process.exit(await exitCode());
}

async function drainOrExit(
  logger: Logger,
  deadlineMs: number,
  parts: Omit<Parameters<typeof drain>[0], 'onStep'>,
): Promise<void> {
  const steps: DrainStep[] = [];
  const deadline = setTimeout(() => {
    logger.error({ step: steps.at(-1) }, 'drain deadline reached');
    process.exit(1);
  }, deadlineMs);
  await drain({ ...parts, onStep: (step) => steps.push(step) });
  clearTimeout(deadline);
}

/** After a bug the process state is unknown: exit, and let the next process redo the work. */
function exitOnBugs(logger: Logger): void {
  process.on('uncaughtException', (error) => {
    logger.error({ err: error }, 'uncaught exception');
    process.exit(1);
  });
  process.on('unhandledRejection', (error) => {
    logger.error({ err: error }, 'unhandled rejection');
    process.exit(1);
  });
}

/** The first signal counts. Further ones change nothing: the drain deadline bounds the wait. */
function nextStopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    process.on('SIGTERM', resolve);
    process.on('SIGINT', resolve);
  });
}

function exitAtStart(logger: Logger, error: unknown): never {
  logger.error({ err: error }, 'start failed');
  process.exit(1);
}

async function planOrExit(name: string, plan: ProcessDefinition['plan']): Promise<ProcessPlan> {
  try {
    return await plan(readEnvironment());
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    createLogger(name, 'info').error(
      { problems: error.problems },
      'the configuration is not valid',
    );
    process.exit(1);
  }
}
