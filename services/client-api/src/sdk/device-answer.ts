import type { DeviceAnswerBody } from '@tidings/contracts/client-side';
import type { Device } from '@tidings/people/devices/devices';

/** The response that tells a device its own state. */
export const deviceAnswer = ({ serviceUserId, customUserId }: Device): DeviceAnswerBody => ({
  serviceUserId,
  isProved: customUserId !== null,
});
