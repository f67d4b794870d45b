import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { readEnvironment } from '@tidings/platform';

/** A service in its own process, as in an installation, which may not listen yet. */
export type SpawnedService = {
  /** Resolves when it listens; rejects if it ends before. */
  readonly url: Promise<string>;
  /** Its log messages so far. */
  readonly messages: readonly string[];
  /** The exit code; null after a kill. */
  readonly exited: Promise<number | null>;
  kill(): Promise<void>;
};

/** The rest of the environment belongs to the test runner and is too large to pass on. */
const NEEDED = ['PATH', 'PUBLIC_DATABASE_URL', 'BUS', 'REDIS_URL'];

/** Starts a service by its `main.ts` on a free port, with the stores of the test's environment. */
export function spawnService(
  main: URL,
  environment: Readonly<Record<string, string>>,
): SpawnedService {
  const own = readEnvironment();
  const inherited = Object.fromEntries(NEEDED.map((name) => [name, own[name]]));
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', fileURLToPath(main)],
    {
      env: {
        ...inherited,
        HOST: '127.0.0.1',
        PORT: '0',
        HEALTH_HOST: '127.0.0.1',
        HEALTH_PORT: '0',
        ...environment,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const messages: string[] = [];
  const listening = Promise.withResolvers<string>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { msg = '', port } = JSON.parse(line) as {
      readonly msg?: string;
      readonly port?: number;
    };
    messages.push(msg);
    if (msg === 'listening') listening.resolve(`http://127.0.0.1:${port}`);
  });
  const exited = once(child, 'exit').then(([code]) => code as number | null);
  void exited.then(() => listening.reject(new Error('the service ended before it listened')));
  // A test may end one that never listened.
  listening.promise.catch(() => undefined);
  return {
    url: listening.promise,
    messages,
    exited,
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
