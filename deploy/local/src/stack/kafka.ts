import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { homeLayout } from '../home.ts';
import { fetchKafka } from './maven.ts';
import { startPart, type PartOptions, type StackPart } from './part.ts';
import { probeKafka } from './probe.ts';
import { runTool } from './run-tool.ts';

const MEMORY = ['-Xms128m', '-Xmx300m', '-XX:+UseSerialGC'];

/** Kafka 4.1, one node that is broker and controller, run by the `java` of the machine. */
export async function startKafka(options: PartOptions & { readonly controllerPort: number }): Promise<StackPart> {
  const { home, port, controllerPort, env, signal } = options;
  const layout = homeLayout(home);
  const dataDir = layout.dataDir('kafka');
  const java = env['JAVA_HOME'] ? join(env['JAVA_HOME'], 'bin', 'java') : 'java';
  const libs = await fetchKafka({ env, signal });
  const settingsFile = join(dataDir, 'server.properties');
  const jvm = [...MEMORY, '-Dorg.slf4j.simpleLogger.showDateTime=true', '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn', '-cp', join(libs, '*')];

  mkdirSync(dataDir, { recursive: true });
  const settings = kafkaSettings({ port, controllerPort, logDir: join(dataDir, 'log') });
  writeFileSync(settingsFile, Object.entries(settings).map(([name, value]) => `${name}=${value}\n`).join(''));

  return startPart({
    url: `127.0.0.1:${port}`,
    process: {
      name: 'kafka',
      command: java,
      args: [...jvm, 'kafka.Kafka', settingsFile],
      cwd: dataDir,
      env,
      logFile: layout.logFile('kafka'),
      runDir: layout.runDir,
      stopSignal: 'SIGTERM',
    },
    signal,
    prepare: () => format(dataDir, (clusterId) => runTool(java, [...jvm, 'kafka.tools.StorageTool', 'format', `--cluster-id=${clusterId}`, '-c', settingsFile], { env })),
    isReady: () => probeKafka(port),
  });
}

/** The stamp is written last: a format cut short is done anew. */
async function format(dataDir: string, formatStorage: (clusterId: string) => Promise<void>): Promise<void> {
  const stamp = join(dataDir, 'formatted');
  if (existsSync(stamp)) return;
  rmSync(join(dataDir, 'log'), { recursive: true, force: true });
  await formatStorage(randomBytes(16).toString('base64url'));
  writeFileSync(stamp, '');
}

function kafkaSettings({ port, controllerPort, logDir }: { port: number; controllerPort: number; logDir: string }): Readonly<Record<string, string | number>> {
  return {
    'process.roles': 'broker,controller',
    'node.id': 1,
    'controller.quorum.voters': `1@127.0.0.1:${controllerPort}`,
    'controller.listener.names': 'CONTROLLER',
    listeners: `PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllerPort}`,
    'advertised.listeners': `PLAINTEXT://127.0.0.1:${port}`,
    'log.dirs': logDir,
    'auto.create.topics.enable': 'false',
    'offsets.topic.replication.factor': 1,
    'offsets.topic.num.partitions': 8,
    'transaction.state.log.replication.factor': 1,
    'transaction.state.log.min.isr': 1,
    'group.initial.rebalance.delay.ms': 0,
    // Tests kill consumers and want their partitions to move soon.
    'group.min.session.timeout.ms': 1_000,
    'message.max.bytes': 4 * 1024 * 1024,
    // A broker that was killed may come back only when the controller has given up its last life: not after the usual 9 s.
    'broker.session.timeout.ms': 2_000,
    'broker.heartbeat.interval.ms': 500,
    // The cleaner's default buffer alone is half of the heap.
    'log.cleaner.dedupe.buffer.size': 8 * 1024 * 1024,
    'num.network.threads': 2,
    'num.io.threads': 4,
  };
}
