import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { homeLayout } from '../home.ts';
import { fetchKafka } from './maven.ts';
import { startComponent, type ComponentOptions, type StackComponent } from './component.ts';
import { probeKafka } from './probe.ts';
import { runTool } from './run-tool.ts';

const MEMORY = ['-Xms128m', '-Xmx300m', '-XX:+UseSerialGC'];

/**
 * An additional listener, e.g. for a proxy: clients that connect to `port` are redirected to
 * `advertisedPort`. Listens on loopback unless `host` is set.
 */
export type SideListener = {
  readonly port: number;
  readonly advertisedPort: number;
  readonly host?: string;
};

export type KafkaNode = {
  /**
   * Counts from 1. Data and log of the first node are named `kafka`, of the others `kafka-<id>`.
   */
  readonly id: number;
  readonly port: number;
  /** Controller ports of all nodes, by id. */
  readonly controllerPorts: readonly number[];
  readonly clusterId: string;
  readonly sideListeners?: readonly SideListener[];
};

export function newClusterId(): string {
  return randomBytes(16).toString('base64url');
}

/** A Kafka 4.1 node (broker and controller), run by the machine's `java`. */
export async function startKafka(options: ComponentOptions & KafkaNode): Promise<StackComponent> {
  const { home, id, port, clusterId, env, signal } = options;
  const layout = homeLayout(home);
  const name = id === 1 ? 'kafka' : `kafka-${id}`;
  const dataDir = layout.dataDir(name);
  const java = env['JAVA_HOME'] ? join(env['JAVA_HOME'], 'bin', 'java') : 'java';
  const libs = await fetchKafka({ env, signal });
  const settingsFile = join(dataDir, 'server.properties');
  const jvm = [
    ...MEMORY,
    '-Dorg.slf4j.simpleLogger.showDateTime=true',
    '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn',
    '-cp',
    join(libs, '*'),
  ];

  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  writeSettings(settingsFile, kafkaSettings(options, join(dataDir, 'log')));

  return startComponent({
    url: `127.0.0.1:${port}`,
    process: {
      name,
      command: java,
      args: [...jvm, 'kafka.Kafka', settingsFile],
      cwd: dataDir,
      env,
      logFile: layout.logFile(name),
      runDir: layout.runDir,
      stopSignal: 'SIGTERM',
      isWaitedFor: true,
    },
    signal,
    prepare: () =>
      format(dataDir, () =>
        runTool(
          java,
          [
            ...jvm,
            'kafka.tools.StorageTool',
            'format',
            `--cluster-id=${clusterId}`,
            '-c',
            settingsFile,
          ],
          { env },
        ),
      ),
    isReady: () => probeKafka(port),
  });
}

/**
 * Formats the storage once. The stamp is written last, so that an interrupted format is repeated.
 */
async function format(dataDir: string, formatStorage: () => Promise<void>): Promise<void> {
  const stamp = join(dataDir, 'formatted');
  if (existsSync(stamp)) return;
  rmSync(join(dataDir, 'log'), { recursive: true, force: true });
  await formatStorage();
  writeFileSync(stamp, '');
}

type KafkaSettings = Readonly<Record<string, string | number>>;

function writeSettings(file: string, settings: KafkaSettings): void {
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
  writeFileSync(file, lines.join(''));
}

function kafkaSettings(
  { id, port, controllerPorts, sideListeners = [] }: KafkaNode,
  logDir: string,
): KafkaSettings {
  const replicas = Math.min(3, controllerPorts.length);
  const listener = (name: string, ownPort: number, host = '127.0.0.1'): string =>
    `${name}://${host}:${ownPort}`;
  const sides = sideListeners.map((side, index) => ({ ...side, name: `SIDE${index + 1}` }));
  return {
    'process.roles': 'broker,controller',
    'node.id': id,
    'controller.quorum.voters': controllerPorts
      .map((controllerPort, index) => `${index + 1}@127.0.0.1:${controllerPort}`)
      .join(','),
    'controller.listener.names': 'CONTROLLER',
    'listener.security.protocol.map': ['PLAINTEXT', 'CONTROLLER', ...sides.map(({ name }) => name)]
      .map((name) => `${name}:PLAINTEXT`)
      .join(','),
    'inter.broker.listener.name': 'PLAINTEXT',
    listeners: [
      listener('PLAINTEXT', port),
      listener('CONTROLLER', controllerPorts[id - 1] ?? 0),
      ...sides.map((side) => listener(side.name, side.port, side.host)),
    ].join(','),
    'advertised.listeners': [
      listener('PLAINTEXT', port),
      ...sides.map((side) => listener(side.name, side.advertisedPort, side.host)),
    ].join(','),
    'log.dirs': logDir,
    'auto.create.topics.enable': 'false',
    'offsets.topic.replication.factor': replicas,
    'offsets.topic.num.partitions': 8,
    'transaction.state.log.replication.factor': replicas,
    'transaction.state.log.min.isr': 1,
    'group.initial.rebalance.delay.ms': 0,
    // Tests kill consumers and need fast partition reassignment.
    'group.min.session.timeout.ms': 1_000,
    'message.max.bytes': 4 * 1024 * 1024,
    // A killed broker can register again only after its old session has expired; the default is 9
    // s.
    'broker.session.timeout.ms': 2_000,
    'broker.heartbeat.interval.ms': 500,
    // The default buffer of the cleaner alone takes half of the heap.
    'log.cleaner.dedupe.buffer.size': 8 * 1024 * 1024,
    'num.network.threads': 2,
    'num.io.threads': 4,
  };
}
