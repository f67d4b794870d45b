import { freePorts, homeLayout, startStack } from '@tidings/local';
import { createLogger, systemClock, systemIds } from '@tidings/platform';
import { connectDatabase, type Database } from '@tidings/postgres/database';
import { startSandbox } from '@tidings/sandbox/src/service.ts';
import { createWriteStream, mkdirSync } from 'node:fs';
import { startTcpProxy } from '../faults/net/tcp-proxy.ts';
import { makeTestHome } from '../stack/test-home.ts';

/** Services outside the cluster: the stores, and the sandbox instead of providers. */
export interface ExternalServices {
  /** Addresses for pods. */
  readonly host: string;
  readonly databaseUrl: string;
  readonly publicDatabaseUrl: string;
  readonly kafkaBrokers: string;
  readonly redisUrl: string;
  /** Ports of the three stores. */
  readonly storePorts: readonly number[];
  readonly sandboxUrl: string;
  readonly smtpPort: number;
  /** Address for this process. */
  readonly ownKafkaBrokers: string;
  readonly db: Database;
  stop(): Promise<void>;
}

/** The local stack, also reachable at `host` besides loopback. */
export async function startExternalServices(host: string): Promise<ExternalServices> {
  const { home, discard } = await makeTestHome('cluster');
  const { logDir, logFile, dataDir } = homeLayout(home);
  mkdirSync(logDir, { recursive: true });
  const [postgresPort = 0, kafkaPort = 0, redisPort = 0, sandboxPort = 0, smtpPort = 0] =
    await freePorts(5);
  const {
    DATABASE_URL: _database,
    PUBLIC_DATABASE_URL: _publicDatabase,
    KAFKA_BROKERS: _kafka,
    REDIS_URL: _redis,
    ...env
  } = process.env;
  const stack = await startStack({
    home,
    env,
    isDurable: false,
    hasUsualPorts: false,
    has: { kafka: true, redis: true },
    kafka: { sideListeners: [{ port: kafkaPort, advertisedPort: kafkaPort, host }] },
  });
  const portOf = (url: string): number => Number(new URL(url).port);
  const openProxy = (port: number, url: string): ReturnType<typeof startTcpProxy> =>
    startTcpProxy({ host, port, targetPort: () => portOf(url), random: Math.random });
  const proxies = [
    await openProxy(postgresPort, stack.databaseUrl),
    await openProxy(redisPort, stack.redisUrl),
  ];
  const logger = createLogger('sandbox', 'warn', createWriteStream(logFile('sandbox')));
  const sandbox = await startSandbox(
    {
      host,
      port: sandboxPort,
      hostnames: [host],
      smtpPort,
      dataDir: dataDir('sandbox'),
      messagesMax: 200_000,
      reportUrl: '',
      hookSecret: '',
    },
    { logger, clock: systemClock, ids: systemIds },
  );
  const db = connectDatabase({
    databaseUrl: stack.databaseUrl,
    poolMax: 2,
    applicationName: 'test',
  });
  return {
    host,
    databaseUrl: at(stack.databaseUrl, host, postgresPort),
    publicDatabaseUrl: at(stack.publicDatabaseUrl, host, postgresPort),
    kafkaBrokers: `${host}:${kafkaPort}`,
    redisUrl: at(stack.redisUrl, host, redisPort),
    storePorts: [postgresPort, kafkaPort, redisPort],
    sandboxUrl: `http://${host}:${sandboxPort}`,
    smtpPort,
    ownKafkaBrokers: stack.kafkaBrokers,
    db,
    async stop() {
      await db.close();
      await sandbox.stopIntake();
      await sandbox.disconnect();
      for (const each of proxies) await each.close();
      await stack.stop();
      discard();
    },
  };
}

function at(url: string, host: string, port: number): string {
  const moved = new URL(url);
  moved.hostname = host;
  moved.port = String(port);
  return moved.href;
}
