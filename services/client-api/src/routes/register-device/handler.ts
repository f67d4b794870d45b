import { grantOf } from '@tidings/access';
import { registerDeviceEndpoint } from '@tidings/api-spec/endpoints/devices';
import type { DeviceRegistrationBody } from '@tidings/contracts/client-side';
import { registerDevice } from '@tidings/people/devices/device-users';
import type { RequestHandler } from 'express';
import type { ClientApiDependencies } from '../../dependencies.ts';
import { changeDeviceUser } from '../../sdk/change-device-user.ts';
import { deviceAnswer } from '../../sdk/device-answer.ts';
import type { SdkGuard } from '../../sdk/sdk-guard.ts';
import { proveUser } from '../../sdk/prove-user.ts';
import { bodyReader } from '../../sdk/valid-body.ts';
import { readFacts } from './read-facts.ts';

const readBody = bodyReader<DeviceRegistrationBody>(registerDeviceEndpoint);

/**
 * `POST /sdk/v1/devices`: stores what a device is and how to reach it. Idempotent. A new device
 * gets an anonymous user.
 */
export function handleRegistration(
  deps: ClientApiDependencies,
  { authorizeWithBody, countDevice }: SdkGuard,
): RequestHandler[] {
  const register: RequestHandler = async (req, res) => {
    const body = readBody(req.body);
    const grant = grantOf(res);
    await countDevice(res, body.deviceId);
    const facts = readFacts(body, deps.isPushEndpoint);
    const proof = await proveUser(deps, grant, body);
    const ref = { applicationId: grant.applicationId, deviceId: body.deviceId };
    const device = await changeDeviceUser(deps, ref, () =>
      registerDevice(deps.db, deps.clock, { ...ref, facts, ...proof }),
    );
    res.json(deviceAnswer(device));
  };
  return [authorizeWithBody, register];
}
