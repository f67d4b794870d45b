import { CHANNELS } from '@tidings/contracts/channels/channels';
import { workerName } from '@tidings/contracts/topics';
import { randomBytes } from 'node:crypto';
import { callApi } from '../api.ts';
import { adminAccess, type Credentials } from '../create-application.ts';
import { addOperatorDevice } from './add-operator-device.ts';
import { connectChannels, type SandboxFacts } from './connect-channels.ts';
import { connectShop } from './connect-shop.ts';

export type ConnectSandboxOptions = {
  /** Base URL of the whole installation, also for browsers. */
  readonly baseUrl: string;
  readonly credentials: Credentials;
  readonly sandbox: Omit<SandboxFacts, 'bounceSecret'>;
};

/**
 * Connects a new application to the sandbox and sends a test message through each channel. Those of
 * IN_APP and ON_SITE are fetched by a device of the sandbox, so that it shows them too.
 */
export async function connectSandbox({
  baseUrl,
  credentials,
  sandbox,
}: ConnectSandboxOptions): Promise<void> {
  await connectChannels(
    { baseUrl, credentials, started: CHANNELS.map(workerName) },
    { ...sandbox, bounceSecret: randomBytes(32).toString('base64url') },
  );
  const { secret } = await callApi<{ secret: string }>(adminAccess(baseUrl, credentials), {
    method: 'POST',
    path: `/api/v1/applications/${credentials.applicationId}/user-token-secret`,
  });
  await connectShop({ baseUrl, sandboxUrl: sandbox.url, credentials, userTokenSecret: secret });
  await addOperatorDevice(sandbox.url);
}
