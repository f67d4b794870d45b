import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

export type BareServer = {
  readonly address: { readonly host: string; readonly port: number };
  cpuSeconds(): Promise<number>;
  stop(): void;
};

const HOST = '127.0.0.1';
const MICROSECONDS = 1_000_000;

/** Starts the bare server in its own process. */
export async function startBareServer(): Promise<BareServer> {
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', join(import.meta.dirname, 'bare-server.ts')],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const [chunk] = (await once(child.stdout, 'data')) as [Buffer];
  const port = Number(chunk.toString());
  return {
    address: { host: HOST, port },
    cpuSeconds: async () =>
      ((await (await fetch(`http://${HOST}:${port}/cpu`)).json()) as { microseconds: number })
        .microseconds / MICROSECONDS,
    stop: () => child.kill(),
  };
}
