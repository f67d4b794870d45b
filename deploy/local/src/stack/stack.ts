import { mkdirSync } from 'node:fs';
import { homeLayout } from '../home.ts';
import { newClusterId, startKafka, type KafkaNode, type SideListener } from './kafka.ts';
import type { StackComponent } from './component.ts';
import { onFreePort } from './on-free-port.ts';
import { freePortFrom, freePorts } from './ports.ts';
import { startPostgres } from './postgres.ts';
import type { Standby } from './postgres-standby.ts';
import { startRedis } from './redis.ts';

/** Runs one step of a start, with or without progress output. */
export type RunStep = <T>(title: string, action: () => Promise<T>) => Promise<T>;

export const silently: RunStep = (_title, action) => action();

export type StackOptions = {
  readonly home: string;
  /**
   * Stores with a URL here (DATABASE_URL, PUBLIC_DATABASE_URL, KAFKA_BROKERS, REDIS_URL) are used
   * and not started.
   */
  readonly env: NodeJS.ProcessEnv;
  /** Data must survive a crash of the machine; false in tests. */
  readonly isDurable: boolean;
  /** Try the default ports first. */
  readonly hasUsualPorts: boolean;
  /** What is started beside Postgres. Without Kafka the records are in Postgres. */
  readonly has: { readonly kafka: boolean; readonly redis: boolean };
  readonly kafka?: KafkaLayout | undefined;
  /** A Postgres of little memory, for one process with all services. */
  readonly isSmall?: boolean | undefined;
  /** Aborts the start. */
  readonly signal?: AbortSignal | undefined;
  readonly runStep?: RunStep;
};

/** What carries records between services. */
export type BusKind = 'kafka' | 'postgres';

export type KafkaLayout = {
  /** Number of brokers, each also a controller; default 1. */
  readonly nodes?: number;
  /** Additional listeners of the first node. */
  readonly sideListeners?: readonly SideListener[];
};

/** URLs of the stores and the broker. */
export type Addresses = {
  readonly databaseUrl: string;
  /**
   * URL for internet-facing services: a role with fewer rights, unless DATABASE_URL was given
   * without PUBLIC_DATABASE_URL, or one process runs all.
   */
  readonly publicDatabaseUrl: string;
  readonly bus: BusKind;
  /** Empty without Kafka. */
  readonly kafkaBrokers: string;
  /** Empty without Redis. */
  readonly redisUrl: string;
};

export interface Stack extends Addresses {
  /** Components that run as child processes; external ones are absent. */
  readonly parts: {
    readonly postgres?: StackComponent | undefined;
    readonly kafka?: StackComponent | undefined;
    readonly redis?: StackComponent | undefined;
  };
  /** All Kafka nodes that we started, including the first. */
  readonly kafkaNodes: readonly StackComponent[];
  /** For tests. Adds a synchronous standby; it stops with the stack. */
  addStandby(): Promise<Standby>;
  stop(): Promise<void>;
}

const USUAL_PORTS = { postgres: 15_432, kafka: 19_092, controller: 19_093, redis: 16_379 };

/**
 * Starts all components that were not given, in parallel. If one fails, the others are stopped
 * before the error is thrown.
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  const { home, env, signal, isDurable, has, isSmall = false, runStep = silently } = options;
  const ports = options.hasUsualPorts ? await usualPorts() : await anyPorts();
  mkdirSync(homeLayout(home).dataDir(''), { recursive: true });

  let publicDatabaseUrl = env['PUBLIC_DATABASE_URL'] || env['DATABASE_URL'] || '';
  const kafka = has.kafka ? await kafkaNodes(options, ports) : [];
  const [postgres, redis, ...nodes] = await startAllOrNone([
    startUnlessGiven(env['DATABASE_URL'], () =>
      runStep('Start Postgres', async () => {
        const part = await onFreePort(ports.postgres, (port) =>
          startPostgres({ home, port, env, signal, isDurable, isSmall }),
        );
        publicDatabaseUrl = await createPublicRole(part.url, isSmall).catch(
          async (error: unknown) => {
            await part.stop();
            throw error;
          },
        );
        return part;
      }),
    ),
    startUnlessGiven(has.redis ? env['REDIS_URL'] : 'none', () =>
      runStep('Start Redis', () =>
        onFreePort(ports.redis, (port) => startRedis({ home, port, env, signal })),
      ),
    ),
    ...kafka.map((node) =>
      startUnlessGiven(env['KAFKA_BROKERS'], () =>
        runStep(node.id === 1 ? 'Start Kafka' : `Start Kafka ${node.id}`, () =>
          onFreePort(node.port, (port) => startKafka({ home, env, signal, ...node, port })),
        ),
      ),
    ),
  ]);
  const standbys: Standby[] = [];
  const ownNodes = nodes.filter((node) => node !== undefined);
  const [firstNode] = ownNodes;
  return {
    databaseUrl: env['DATABASE_URL'] || (postgres?.url ?? ''),
    publicDatabaseUrl,
    bus: has.kafka ? 'kafka' : 'postgres',
    kafkaBrokers: has.kafka ? env['KAFKA_BROKERS'] || ownNodes.map(({ url }) => url).join(',') : '',
    redisUrl: has.redis ? env['REDIS_URL'] || (redis?.url ?? '') : '',
    parts: { postgres, kafka: firstNode, redis },
    kafkaNodes: ownNodes,
    async addStandby() {
      if (postgres === undefined)
        throw new Error('an external Postgres cannot have a standby here');
      const [port = 0] = await freePorts(1);
      const { startStandby } = await import('./postgres-standby.ts');
      const standby = await startStandby({
        home,
        port,
        env,
        signal,
        isDurable,
        primary: standbys.at(-1) ?? postgres,
        name: `postgres-${standbys.length + 2}`,
      });
      standbys.push(standby);
      return standby;
    },
    async stop() {
      await Promise.all(
        [postgres, redis, ...ownNodes, ...standbys].map(async (part) => part?.stop()),
      );
    },
  };
}

/**
 * One process needs the rights of the owner. The code that creates the role, a client of Postgres, is
 * loaded only where it is needed.
 */
async function createPublicRole(ownerUrl: string, isSmall: boolean): Promise<string> {
  if (isSmall) return ownerUrl;
  const { ensurePublicRole } = await import('./public-role.ts');
  return ensurePublicRole(ownerUrl);
}

/** If one fails, stops the others and throws its error. */
async function startAllOrNone(
  starts: readonly Promise<StackComponent | undefined>[],
): Promise<readonly (StackComponent | undefined)[]> {
  const results = await Promise.allSettled(starts);
  const failure = results.find((result) => result.status === 'rejected');
  const parts = results.map((result) => (result.status === 'fulfilled' ? result.value : undefined));
  if (failure === undefined) return parts;
  await Promise.all(parts.map(async (part) => part?.stop()));
  throw failure.reason;
}

async function kafkaNodes(
  { kafka = {} }: StackOptions,
  ports: typeof USUAL_PORTS,
): Promise<readonly KafkaNode[]> {
  const more = (kafka.nodes ?? 1) - 1;
  const free = await freePorts(2 * more);
  const nodePorts = [ports.kafka, ...free.slice(0, more)];
  const controllerPorts = [ports.controller, ...free.slice(more)];
  const clusterId = newClusterId();
  return nodePorts.map((port, index) => ({
    id: index + 1,
    port,
    controllerPorts,
    clusterId,
    ...(index === 0 && { sideListeners: kafka.sideListeners }),
  }));
}

async function startUnlessGiven(
  given: string | undefined,
  start: () => Promise<StackComponent>,
): Promise<StackComponent | undefined> {
  return given ? undefined : start();
}

async function usualPorts(): Promise<typeof USUAL_PORTS> {
  const postgres = await freePortFrom(USUAL_PORTS.postgres);
  const kafka = await freePortFrom(USUAL_PORTS.kafka);
  const controller = await freePortFrom(kafka + 1);
  const redis = await freePortFrom(USUAL_PORTS.redis);
  return { postgres, kafka, controller, redis };
}

async function anyPorts(): Promise<typeof USUAL_PORTS> {
  const [postgres = 0, kafka = 0, controller = 0, redis = 0] = await freePorts(4);
  return { postgres, kafka, controller, redis };
}
