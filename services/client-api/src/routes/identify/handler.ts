import { grantOf } from '@tidings/access';
import { identifyDeviceEndpoint } from '@tidings/api-spec/endpoints/devices';
import type { IdentificationBody } from '@tidings/contracts/client-side';
import { identifyDevice } from '@tidings/people/devices/device-users';
import type { RequestHandler } from 'express';
import type { ClientApiDependencies } from '../../dependencies.ts';
import { changeDeviceUser } from '../../sdk/change-device-user.ts';
import { deviceAnswer } from '../../sdk/device-answer.ts';
import type { SdkGuard } from '../../sdk/sdk-guard.ts';
import { noSuchDevice } from '../../sdk/no-such-device.ts';
import { proveUser } from '../../sdk/prove-user.ts';
import { bodyReader, notValid } from '../../sdk/valid-body.ts';

const readBody = bodyReader<IdentificationBody>(identifyDeviceEndpoint);

/**
 * `POST /sdk/v1/identify`: sets the user of a device. Data of its anonymous user moves to that
 * user. A device of another user changes hands without its history.
 */
export function handleIdentification(
  deps: ClientApiDependencies,
  { authorizeWithBody, countDevice }: SdkGuard,
): RequestHandler[] {
  const identify: RequestHandler = async (req, res) => {
    const { deviceId, ...claim } = readBody(req.body);
    const grant = grantOf(res);
    await countDevice(res, deviceId);
    const { customUserId, isByUserToken } = await proveUser(deps, grant, claim);
    if (customUserId === null)
      throw notValid([{ pointer: '/userToken', code: 'required', expected: 'a user token' }]);
    const ref = { applicationId: grant.applicationId, deviceId };
    const device = await changeDeviceUser(deps, ref, () =>
      identifyDevice(deps.db, deps.clock, { ...ref, customUserId, isByUserToken }),
    );
    if (device === null) throw noSuchDevice();
    res.json(deviceAnswer(device));
  };
  return [authorizeWithBody, identify];
}
