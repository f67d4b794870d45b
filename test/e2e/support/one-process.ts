import { CHANNELS } from '@tidings/contracts/channels/channels';
import { workerName } from '@tidings/contracts/topics';
import {
  connectChannels,
  createApplication,
  freePorts,
  prepareStores,
  ROOT_DIR,
  startStack,
  type Stack,
  type StackOptions,
} from '@tidings/local';
import { createLogger } from '@tidings/platform';
import { eventually } from '@tidings/testing';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { checkNeeds } from '@tidings/tools/stack/check-needs';
import { makeTestHome } from '@tidings/tools/stack/test-home';

export type LogLine = {
  readonly msg: string;
  readonly level: string;
  readonly service: string;
  readonly [field: string]: unknown;
};

const SECRET = `whsec_${Buffer.from('a secret of the sandbox and hooks').toString('base64')}`;
const READY_WITHIN_MS = 60_000;

/** `services/all` with the sandbox, on stores of its own, with an application whose channels work. */
export async function startOneProcess({
  has,
  environment = {},
}: Pick<StackOptions, 'has'> & { readonly environment?: Readonly<Record<string, string>> }) {
  checkNeeds(has);
  const { home, discard } = await makeTestHome('one-process');
  const { PATH = '' } = process.env;
  const stack = await startStack({
    home,
    env: { PATH, HOME: process.env['HOME'] },
    isDurable: false,
    hasUsualPorts: false,
    has,
  });
  const stopStores = async (): Promise<void> => {
    await stack.stop();
    discard();
  };
  try {
    await prepareStores(stack, { logger: createLogger('test', 'error') });
    const running = await spawnAll(stack, {
      ...environment,
      PATH,
      DATA_DIR: join(home, 'sandbox'),
    });
    return { ...running, stack, stopStores };
  } catch (error) {
    await stopStores();
    throw error;
  }
}

async function spawnAll(stack: Stack, environment: Readonly<Record<string, string>>) {
  const [port = 0, healthPort = 0, sandboxPort = 0, smtpPort = 0] = await freePorts(4);
  const baseUrl = `http://127.0.0.1:${port}`;
  const sandboxUrl = `http://127.0.0.1:${sandboxPort}`;
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', join('services', 'all', 'src', 'main.ts')],
    {
      cwd: ROOT_DIR,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        HOST: '127.0.0.1',
        PORT: String(port),
        HEALTH_HOST: '127.0.0.1',
        HEALTH_PORT: String(healthPort),
        SANDBOX: 'true',
        SANDBOX_PORT: String(sandboxPort),
        SMTP_PORT: String(smtpPort),
        HOOK_SECRET: SECRET,
        DATABASE_URL: stack.databaseUrl,
        BUS: stack.bus,
        KAFKA_BROKERS: stack.kafkaBrokers,
        REDIS_URL: stack.redisUrl,
        ENCRYPTION_KEY: 'a key for tests, of thirty-two characters',
        PUBLIC_BASE_URL: baseUrl,
        DRAIN_WAIT_MS: '0',
        ...environment,
      },
    },
  );
  const lines: LogLine[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(JSON.parse(line) as LogLine);
  });
  const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await exited;
  };
  try {
    await eventually(
      () => {
        const last = JSON.stringify(lines.slice(-5));
        if (child.exitCode !== null) throw new Error(`the process has ended: ${last}`);
        if (!lines.some(({ msg }) => msg === 'all services ready'))
          throw new Error(`not all services are ready: ${last}`);
      },
      { timeoutMs: READY_WITHIN_MS },
    );
    const credentials = await createApplication({
      baseUrl,
      databaseUrl: stack.databaseUrl,
      name: 'One process',
      tokenName: 'test',
    });
    await connectChannels(
      { baseUrl, credentials, started: CHANNELS.map(workerName) },
      { url: sandboxUrl, smtpPort, hookSecret: SECRET, bounceSecret: 'a secret of the bounces' },
    );
    return {
      local: { ...credentials, baseUrl, sandboxUrl },
      pid: child.pid ?? 0,
      healthUrl: `http://127.0.0.1:${healthPort}`,
      lines,
      /** Resolves with the exit code. */
      async stop(): Promise<number | null> {
        child.kill('SIGTERM');
        return (await exited)[0];
      },
      kill,
    };
  } catch (error) {
    await kill();
    throw error;
  }
}
