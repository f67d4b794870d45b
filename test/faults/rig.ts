import { kafkaBusFrom, kafkaConfig, type Bus } from '@tidings/bus';
import { connectDatabase, type Database } from '@tidings/db';
import { callApi, freePorts, homeLayout, type StackPart, type Supervisor } from '@tidings/local';
import { createLogger, loadConfig } from '@tidings/platform';
import { randomFrom } from '@tidings/testing';
import { startTidings } from '../stack/start-tidings.ts';
import { signalTree } from './net/signal-tree.ts';
import { createAnswerDropper, type AnswerDropper } from './net/kafka-answers.ts';
import { startTcpProxy, type TcpProxy } from './net/tcp-proxy.ts';
import { watchMemory, type MemoryWatch } from './oracles/memory.ts';

export const CONSUMERS = ['users-consumer', 'events-consumer'] as const;
/** Reaches Kafka through a proxy whose weather a row decides; the first gateway reaches it straight. */
export const FAR_GATEWAY = 'gateway-2';

/** How many brokers a row needs. */
export type Brokers = 1 | 3;

export type TestApplication = { readonly id: string; readonly headers: Readonly<Record<string, string>> };

/** A whole installation with everything a row may do to it, and the ways to look at it. */
export type Rig = {
  readonly supervisor: Supervisor;
  readonly postgres: StackPart;
  readonly redis: StackPart;
  readonly kafkaNodes: readonly StackPart[];
  readonly gatewayUrls: { readonly near: string; readonly far: string };
  /** Between the far gateway and Kafka; between the consumers and Postgres. */
  readonly proxies: { readonly kafka: TcpProxy; readonly postgres: TcpProxy };
  readonly answerDropper: AnswerDropper;
  readonly addresses: { readonly databaseUrl: string; readonly kafkaBrokers: string };
  readonly adminHeaders: Readonly<Record<string, string>>;
  readonly apiUrl: string;
  readonly db: Database;
  readonly bus: Bus;
  readonly memory: MemoryWatch;
  readonly logDir: string;
  newApplications(count: number): Promise<readonly TestApplication[]>;
  /** Wakes what a row has frozen and lets everything through again, in case it could not do so itself. */
  thaw(): void;
  stop(): Promise<void>;
};

const ENVIRONMENT = {
  // So that the work of a consumer that was killed is taken over within a row.
  KAFKA_SESSION_TIMEOUT_MS: '6000',
  KAFKA_HEARTBEAT_INTERVAL_MS: '1000',
  // As in a pod of 512 MiB. On a large machine V8 would put off its work until a leak could not be told from a habit.
  NODE_OPTIONS: '--max-old-space-size=256',
};
/** A gateway that is not ready goes on taking requests for this long: the balancing caller has noticed by then. */
const GATEWAY_DRAIN_WAIT_MS = 1_000;

export type RigOptions = { readonly brokers: Brokers; readonly name: string; /** Settings of all services, such as shorter timeouts. */ readonly env?: Readonly<Record<string, string>> };

export async function startRig({ brokers, name, env }: RigOptions): Promise<Rig> {
  const [kafkaPort = 0, kafkaProxyPort = 0, postgresProxyPort = 0] = await freePorts(3);
  const random = randomFrom(1);
  const answerDropper = createAnswerDropper();
  let postgresPort = 0;
  const proxies = {
    kafka: await startTcpProxy({ port: kafkaProxyPort, targetPort: () => kafkaPort, random, createFilter: answerDropper.createFilter }),
    postgres: await startTcpProxy({ port: postgresProxyPort, targetPort: () => postgresPort, random }),
  };
  const closeProxies = async (): Promise<void> => {
    await Promise.all([proxies.kafka.close(), proxies.postgres.close()]);
  };
  const tidings = await startTidings({
    name,
    env: { ...ENVIRONMENT, ...env },
    kafka: { nodes: brokers, ...(brokers === 1 && { sideListener: { port: kafkaPort, advertisedPort: kafkaProxyPort } }) },
    serviceEnv: (service, { databaseUrl }): Record<string, string> => {
      postgresPort = Number(new URL(databaseUrl).port);
      if (service === 'gateway') return { DRAIN_WAIT_MS: String(GATEWAY_DRAIN_WAIT_MS) };
      if (service === FAR_GATEWAY) return { DRAIN_WAIT_MS: String(GATEWAY_DRAIN_WAIT_MS), ...(brokers === 1 && { KAFKA_BROKERS: `127.0.0.1:${kafkaProxyPort}` }) };
      return CONSUMERS.some((consumer) => service.startsWith(consumer)) ? { DATABASE_URL: withPort(databaseUrl, postgresProxyPort) } : {};
    },
  }).catch(async (error: unknown) => {
    await closeProxies();
    throw error;
  });
  const { supervisor, stack, local, home } = tidings;
  const { postgres, redis } = stack.parts;
  if (postgres === undefined || redis === undefined) throw new Error('the stores are not ours to disturb');
  const farUrl = await supervisor.add({ name: FAR_GATEWAY, program: 'gateway' });
  const logger = createLogger('faults', 'fatal');
  const bus = kafkaBusFrom(loadConfig(kafkaConfig, { KAFKA_BROKERS: stack.kafkaBrokers }), { logger, service: 'faults' });
  const db = connectDatabase({ databaseUrl: stack.databaseUrl, poolMax: 2, applicationName: 'faults' });
  const memory = watchMemory(supervisor);

  return {
    supervisor,
    postgres,
    redis,
    kafkaNodes: stack.kafkaNodes,
    gatewayUrls: { near: tidings.serviceUrl('gateway'), far: farUrl },
    proxies,
    answerDropper,
    addresses: stack,
    adminHeaders: { Authorization: `Bearer ${local.adminToken}` },
    apiUrl: local.baseUrl,
    db,
    bus,
    memory,
    logDir: homeLayout(home).logDir,
    newApplications: (count) => Promise.all(Array.from({ length: count }, () => newApplication(local))),
    thaw() {
      for (const part of [redis, ...stack.kafkaNodes]) part.kill('SIGCONT');
      signalTree(postgres.pid, 'SIGCONT');
      for (const proxy of Object.values(proxies)) proxy.set({});
    },
    async stop() {
      memory.stop();
      await bus.disconnect();
      await db.close();
      await tidings.stop();
      await closeProxies();
    },
  };
}

async function newApplication({ baseUrl, adminToken }: { readonly baseUrl: string; readonly adminToken: string }): Promise<TestApplication> {
  const Authorization = `Bearer ${adminToken}`;
  const { applicationId } = await callApi<{ applicationId: string }>({ baseUrl, headers: { Authorization } }, { method: 'POST', path: '/api/v1/applications', body: { name: 'Faults' } });
  const asAdmin = { baseUrl, headers: { Authorization, 'X-Application-Id': applicationId } };
  const { key } = await callApi<{ key: string }>(asAdmin, { method: 'POST', path: '/api/v1/keys', body: { type: 'server', name: 'Faults' } });
  return { id: applicationId, headers: { 'X-Application-Id': applicationId, 'X-API-Key': key } };
}

function withPort(url: string, port: number): string {
  const changed = new URL(url);
  changed.port = String(port);
  return changed.href;
}
