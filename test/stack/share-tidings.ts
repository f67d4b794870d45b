import { CHANNELS } from '@tidings/contracts/channels/channels';
import { workerName } from '@tidings/contracts/topics';
import { adminAccess, callApi, connectChannels, createApplication } from '@tidings/install';
import {
  deriveHookSecret,
  ensureEncryptionKey,
  homeLayout,
  liftRates,
  type LocalFile,
} from '@tidings/local';
import { randomBytes } from 'node:crypto';
import type { Installation } from './shared-installation.ts';

/**
 * An application of its own in the installation that all end-to-end tests of a run share, with all
 * services in one process. Its tests stop no process and set no fault in the sandbox: other tests run
 * at the same time.
 */
export async function shareTidings(name: string): Promise<Installation> {
  const shared = await findSharedTidings();
  return { ...shared, local: await addApplication(shared, name) };
}

/**
 * The shared installation with its demonstration application. Only one test file may use that
 * application and the setup link.
 */
export async function findSharedTidings(): Promise<Installation> {
  const url = process.env['SHARED_INSTALLATION_URL'];
  if (url === undefined) throw new Error('Only end-to-end tests share an installation.');
  const answer = await fetch(url);
  const body: unknown = await answer.json();
  if (!answer.ok) throw new Error(`The shared installation did not start: ${String(body)}`);
  return body as Installation;
}

/**
 * Creates an application as the demonstration one: without rate limits, and with each channel
 * connected to the sandbox. A test send has enabled it.
 */
export async function addApplication(
  { home, local }: Installation,
  name: string,
): Promise<LocalFile> {
  const { baseUrl, databaseUrl, sandboxUrl } = local;
  const credentials = await createApplication({ baseUrl, databaseUrl, name, tokenName: name });
  await liftRates(baseUrl, credentials);
  const { settings } = await callApi<{ readonly settings: { readonly port: number } }>(
    adminAccess(baseUrl, local),
    { path: '/api/v1/channels/EMAIL' },
  );
  await connectChannels(
    { baseUrl, credentials, started: CHANNELS.map(workerName) },
    {
      url: sandboxUrl,
      smtpPort: settings.port,
      hookSecret: deriveHookSecret(ensureEncryptionKey(homeLayout(home).encryptionKeyFile)),
      bounceSecret: randomBytes(32).toString('base64url'),
    },
  );
  return { ...local, ...credentials };
}
