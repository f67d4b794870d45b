import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { LocalFile } from '@tidings/local';
import { startTidings } from '@tidings/tools/stack/start-tidings';

/** What a test needs to know of an installation. */
export type Installation = { readonly home: string; readonly local: LocalFile };

let server: Server | undefined;
let started: ReturnType<typeof startTidings> | undefined;

/**
 * Answers test files that ask for the installation which they share, with all services in one process.
 * The first one that asks starts it, so a run of other files does not. It runs in jest's own process:
 * a test file ends before the next one begins.
 */
export async function offerInstallation(): Promise<void> {
  server = createServer((_req, res) => {
    const answer = (status: number, body: Installation | string): void =>
      void res.writeHead(status, { Connection: 'close' }).end(JSON.stringify(body));
    started ??= startTidings({ name: 'shared', form: 'one-process' });
    started.then(
      ({ home, local }) => answer(200, { home, local }),
      (error: unknown) => answer(500, String(error)),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  process.env['SHARED_INSTALLATION_URL'] = `http://127.0.0.1:${port}`;
}

/** Stops and deletes the installation, if a test file has asked for it. */
export async function stopInstallation(): Promise<void> {
  server?.close();
  const tidings = await started?.catch(() => undefined);
  started = undefined;
  await tidings?.stop();
}
