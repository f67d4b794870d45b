import { setTimeout as delay } from 'node:timers/promises';
import { systemClock, type Clock, type Timers } from './clock.ts';
import {
  ConfigError,
  integer,
  loadConfig,
  text,
  type ConfigOf,
  type ConfigSpec,
} from './config.ts';
import { readEnvironment } from './env.ts';
import { startHealthServer } from './health-server.ts';
import { systemIds, type Ids } from './ids.ts';
import { createLogger, type Logger } from './logger.ts';
import { collectProcessMetrics } from './metrics.ts';
import { createShared, type Shared } from './shared.ts';
import { startTracing, tracingConfig } from './tracing/start-tracing.ts';

/** Settings common to all services. */
export const processConfig = {
  logLevel: text('LOG_LEVEL', 'Minimum level of log lines.', {
    default: 'info',
    values: ['debug', 'info', 'warn', 'error'],
  }),
  healthHost: text('HEALTH_HOST', 'Address that the health and metrics server listens on.', {
    default: '0.0.0.0',
  }),
  healthPort: integer('HEALTH_PORT', 'Port of /healthz, /readyz and /metrics; 0: any free port.', {
    default: 9464,
    max: 65_535,
  }),
  drainWaitMs: integer(
    'DRAIN_WAIT_MS',
    'Time between "not ready" and the end of intake, so load balancers can react.',
    {
      default: 5_000,
    },
  ),
  drainDeadlineMs: integer(
    'DRAIN_DEADLINE_MS',
    'Time after which a draining process exits, even with work in flight.',
    { default: 40_000 },
  ),
  ...tracingConfig,
} as const satisfies ConfigSpec;
export type ProcessConfig = ConfigOf<typeof processConfig>;

/** How long a process that got a stop signal waits for its own start. */
const START_GRACE_MS = 2_000;

/** A running service. */
export interface Service {
  /** Makes clients reconnect while requests are still answered; absent if there are no clients. */
  disableKeepAlive?(): void;
  /** Accepts no new work; resolves when all work in flight is finished and committed. */
  stopIntake(): Promise<void>;
  /** Closes connections to brokers and stores. */
  disconnect(): Promise<void>;
  /** Whether the service makes progress; absent if a running event loop is enough. */
  isAlive?(): boolean;
  /** Whether its work succeeds; absent if a finished start is enough. */
  isReady?(): boolean;
}

export type ServiceContext = {
  readonly logger: Logger;
  readonly clock: Clock & Timers;
  readonly ids: Ids;
  /** What this process shares between its services. */
  readonly shared: Shared;
  /**
   * Drains the process and exits with 1, so it is restarted: for faults that only a new process can
   * clear.
   */
  readonly end: () => void;
};

export type ServiceDefinition<S extends ConfigSpec> = {
  readonly name: string;
  readonly config: S;
  readonly start: (config: ConfigOf<S>, ctx: ServiceContext) => Promise<Service>;
};

/**
 * The life cycle of a process: configuration, health, start, signals, drain.
 * Order of the drain: not ready, keep-alive off → wait → stop intake and finish work → disconnect →
 * traces → health server last.
 */
export async function runService<S extends ConfigSpec>(
  definition: ServiceDefinition<S>,
): Promise<void> {
  const { own, process: processSettings } = readConfigOrExit(definition);
  const logger = createLogger(definition.name, processSettings.logLevel);
  exitOnBugs(logger);
  const byItself = Promise.withResolvers<'itself'>();
  const stopping = Promise.race([nextStopSignal(), byItself.promise]);
  const state = { isReady: false, service: undefined as Service | undefined };

  collectProcessMetrics();
  const tracing = await startTracing(definition.name, processSettings);
  const health = await orExit(logger, () =>
    startHealthServer(
      {
        isReady: () => state.isReady && (state.service?.isReady?.() ?? true),
        isAlive: () => state.service?.isAlive?.() ?? true,
      },
      { host: processSettings.healthHost, port: processSettings.healthPort },
    ),
  );
  // A start may hang while a store is unavailable, but a start that is almost done may have
  // accepted work, which must be drained.
  const outOfPatience = stopping.then(() => delay(START_GRACE_MS));
  const service = await orExit(logger, () =>
    Promise.race([
      definition.start(own, {
        logger,
        clock: systemClock,
        ids: systemIds,
        shared: createShared(),
        end: () => byItself.resolve('itself'),
      }),
      outOfPatience,
    ]),
  );
  const exitCode = async (): Promise<number> => ((await stopping) === 'itself' ? 1 : 0);
  if (service === undefined) {
    logger.info({ signal: await stopping }, 'stopped while starting');
    process.exit(await exitCode());
  }
  state.service = service;
  state.isReady = true;
  logger.info({ healthPort: health.port }, 'service ready');

  logger.info({ signal: await stopping }, 'draining');
  await drainOrExit(logger, processSettings.drainDeadlineMs, {
    notReady: () => {
      state.isReady = false;
    },
    waitMs: processSettings.drainWaitMs,
    service,
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

async function orExit<T>(logger: Logger, start: () => Promise<T>): Promise<T> {
  try {
    return await start();
  } catch (error) {
    logger.error({ err: error }, 'start failed');
    process.exit(1);
  }
}

export type DrainStep = 'wait' | 'stop intake' | 'disconnect' | 'send traces' | 'close health';

/** Runs the steps of a drain in order. `onStep` is called at the start of each. */
export async function drain(steps: {
  readonly notReady: () => void;
  readonly waitMs: number;
  readonly service: Service;
  readonly stopTracing: () => Promise<void>;
  readonly closeHealth: () => Promise<void>;
  readonly onStep: (step: DrainStep) => void;
}): Promise<void> {
  const { onStep } = steps;
  steps.notReady();
  steps.service.disableKeepAlive?.();
  onStep('wait');
  await delay(steps.waitMs);
  onStep('stop intake');
  await steps.service.stopIntake();
  onStep('disconnect');
  await steps.service.disconnect();
  onStep('send traces');
  await steps.stopTracing();
  onStep('close health');
  await steps.closeHealth();
}

function readConfigOrExit<S extends ConfigSpec>({
  name,
  config,
}: ServiceDefinition<S>): {
  own: ConfigOf<S>;
  process: ProcessConfig;
} {
  try {
    const all = loadConfig({ ...config, ...processConfig }, readEnvironment());
    return { own: all as ConfigOf<S>, process: all as ProcessConfig };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    createLogger(name, 'info').error(
      { problems: error.problems },
      'the configuration is not valid',
    );
    process.exit(1);
  }
}
