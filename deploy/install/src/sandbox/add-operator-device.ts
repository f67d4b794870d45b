import { callApi } from '../api.ts';
import { OPERATOR } from './connect-channels.ts';

/** The same in each start: a device of the sandbox ends with its process. */
const DEVICE_ID = 'sandbox-operator';

/**
 * Adds the device that fetches the test messages by IN_APP and ON_SITE, so that they are displayed
 * before they expire. The shop must be connected.
 */
export async function addOperatorDevice(sandboxUrl: string): Promise<void> {
  await callApi(
    { baseUrl: sandboxUrl, headers: {} },
    {
      method: 'POST',
      path: '/api/devices',
      body: { customUserId: OPERATOR, kind: 'none', deviceId: DEVICE_ID },
    },
  );
}
