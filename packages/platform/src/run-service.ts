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
import { startTracing, tracingConfig } from './tracing/start-tracing.ts';

/** What every service is configured with, beside its own settings. */
export const processConfig = {
  logLevel: text('LOG_LEVEL', 'Least level of log lines.', {
    default: 'info',
    values: ['debug', 'info', 'warn', 'error'],
  }),
  healthHost: text('HEALTH_HOST', 'Address of the health and metrics listener.', {
    default: '0.0.0.0',
  }),
  healthPort: integer(
    'HEALTH_PORT',
    'Port of /healthz, /readyz and /metrics; 0 takes a free one.',
    { default: 9464, max: 65_535 },
  ),
  drainWaitMs: integer(
    'DRAIN_WAIT_MS',
    'Time between "not ready" and the end of intake, for load balancers to notice.',
    {
      default: 5_000,
    },
  ),
  drainDeadlineMs: integer(
    'DRAIN_DEADLINE_MS',
    'After this the process ends even if work is still in flight.',
    { default: 40_000 },
  ),
  ...tracingConfig,
} as const satisfies ConfigSpec;
export type ProcessConfig = ConfigOf<typeof processConfig>;

/** How long a process that is told to stop waits for its own start. */
const START_GRACE_MS = 2_000;

/** A running service, as the process sees it. */
export interface Service {
  /** Has callers come by other connections, while everything that comes is still answered; absent where nobody calls. */
  disableKeepAlive?(): void;
  /** Takes no new work and resolves when all work in flight is finished and committed. */
  stopIntake(): Promise<void>;
  /** Closes connections to brokers and stores. */
  disconnect(): Promise<void>;
  /** Whether the service still makes progress; absent where the event loop alone tells. */
  isAlive?(): boolean;
  /** Whether its work succeeds; absent where a start that came to its end is enough. */
  isReady?(): boolean;
}

export type ServiceContext = {
  readonly logger: Logger;
  readonly clock: Clock & Timers;
  readonly ids: Ids;
  /** Has the process drain and exit with 1, so that it is started again: for a fault that only a new process is without. */
  readonly end: () => void;
};

export type ServiceDefinition<S extends ConfigSpec> = {
  readonly name: string;
  readonly config: S;
  readonly start: (config: ConfigOf<S>, ctx: ServiceContext) => Promise<Service>;
};

/**
 * The whole life of a process: configuration, health, start, signals, drain.
 * Order of the drain: not ready, callers turned away → wait → stop intake and finish work → disconnect → traces → health listener last.
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
  // A start may hang for as long as a store is away, but one that is nearly through may have taken in work: that is drained.
  const outOfPatience = stopping.then(() => delay(START_GRACE_MS));
  const service = await orExit(logger, () =>
    Promise.race([
      definition.start(own, {
        logger,
        clock: systemClock,
        ids: systemIds,
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
  const steps: DrainStep[] = [];
  const deadline = setTimeout(() => {
    logger.error({ step: steps.at(-1) }, 'drain deadline reached');
    process.exit(1);
  }, processSettings.drainDeadlineMs);
  await drain({
    notReady: () => {
      state.isReady = false;
    },
    waitMs: processSettings.drainWaitMs,
    service,
    stopTracing: () => tracing.stop(),
    closeHealth: () => health.close(),
    onStep: (step) => steps.push(step),
  });
  clearTimeout(deadline);
  logger.info('service stopped');
  process.exit(await exitCode());
}

/** A process that met a bug is in no state to go on: its work is done again by the next one. */
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

/** The first signal counts; a second one while draining changes nothing, for the deadline bounds the wait. */
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

/** The steps of a drain, in their order; `onStep` hears of each when it begins. */
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
