import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { readEnvironment } from '@tidings/platform';

/** A gateway in its own process, as in an installation, which can be killed. */
export type GatewayProcess = { readonly url: string; kill(): Promise<void> };

/** The rest of the environment belongs to the test runner and is too large to pass on. */
const NEEDED = ['PATH', 'PUBLIC_DATABASE_URL', 'KAFKA_BROKERS', 'REDIS_URL'];

/** Starts `main` on a free port, with the stores of the test's environment and without rates. */
export async function startGatewayProcess(
  environment: Readonly<Record<string, string>> = {},
): Promise<GatewayProcess> {
  const own = readEnvironment();
  const inherited = Object.fromEntries(NEEDED.map((name) => [name, own[name]]));
  const child = spawn(
    process.execPath,
    [
      '--disable-warning=ExperimentalWarning',
      fileURLToPath(new URL('../main.ts', import.meta.url)),
    ],
    {
      env: {
        ...inherited,
        HOST: '127.0.0.1',
        PORT: '0',
        HEALTH_HOST: '127.0.0.1',
        HEALTH_PORT: '0',
        RATE_PUSH_PER_SECOND: '0',
        ...environment,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const exited = once(child, 'exit');
  for await (const line of createInterface({ input: child.stdout })) {
    const { msg, port } = JSON.parse(line) as { readonly msg?: string; readonly port?: number };
    if (msg !== 'listening' || port === undefined) continue;
    // Later output is not needed, but must be read.
    child.stdout.resume();
    return {
      url: `http://127.0.0.1:${port}`,
      async kill() {
        child.kill('SIGKILL');
        await exited;
      },
    };
  }
  throw new Error('the gateway ended before it listened');
}
