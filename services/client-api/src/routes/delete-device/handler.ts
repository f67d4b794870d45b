import { grantOf } from '@tidings/access';
import { deleteDeviceEndpoint } from '@tidings/api-spec/endpoints/devices';
import { deleteDevice } from '@tidings/people/devices/device-users';
import { createValidator } from '@tidings/validation';
import type { RequestHandler } from 'express';
import type { ClientApiDependencies } from '../../dependencies.ts';
import { noSuchDevice } from '../../sdk/no-such-device.ts';
import type { SdkGuard } from '../../sdk/sdk-guard.ts';

const validateId = createValidator<string>(deleteDeviceEndpoint.parameters.deviceId, {
  isHot: true,
});

/** `DELETE /sdk/v1/devices/{id}`: deletes the device, but not the data of its user. */
export function handleDeletion(
  { db }: Pick<ClientApiDependencies, 'db'>,
  { authorize, countDevice }: SdkGuard,
): RequestHandler[] {
  const remove: RequestHandler = async (req, res) => {
    const deviceId = String(req.params['deviceId']);
    if (!validateId(deviceId).ok) throw noSuchDevice();
    await countDevice(res, deviceId);
    if (!(await deleteDevice(db, { applicationId: grantOf(res).applicationId, deviceId })))
      throw noSuchDevice();
    res.status(204).end();
  };
  return [authorize, remove];
}
