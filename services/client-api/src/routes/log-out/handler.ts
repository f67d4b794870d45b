import { grantOf } from '@tidings/access';
import { logOutDeviceEndpoint } from '@tidings/api-spec/endpoints/devices';
import type { LogOutBody } from '@tidings/contracts/client-side';
import { logOutDevice } from '@tidings/people/devices/device-users';
import type { RequestHandler } from 'express';
import type { ClientApiDependencies } from '../../dependencies.ts';
import { changeDeviceUser } from '../../sdk/change-device-user.ts';
import { deviceAnswer } from '../../sdk/device-answer.ts';
import type { SdkGuard } from '../../sdk/sdk-guard.ts';
import { noSuchDevice } from '../../sdk/no-such-device.ts';
import { bodyReader } from '../../sdk/valid-body.ts';

const readBody = bodyReader<LogOutBody>(logOutDeviceEndpoint);

/** `POST /sdk/v1/logout`: gives the device a new anonymous user. It keeps its push address. */
export function handleLogOut(
  deps: Pick<ClientApiDependencies, 'db' | 'clock' | 'recheckSubscriptions'>,
  { authorizeWithBody, countDevice }: SdkGuard,
): RequestHandler[] {
  const logOut: RequestHandler = async (req, res) => {
    const { deviceId } = readBody(req.body);
    await countDevice(res, deviceId);
    const ref = { applicationId: grantOf(res).applicationId, deviceId };
    const device = await changeDeviceUser(deps, ref, () => logOutDevice(deps.db, deps.clock, ref));
    if (device === null) throw noSuchDevice();
    res.json(deviceAnswer(device));
  };
  return [authorizeWithBody, logOut];
}
