import type { DeviceAnswerBody } from '@tidings/contracts';
import type { Device } from '@tidings/people/devices/devices';

/** What a device is answered about itself. */
export const deviceAnswer = ({ serviceUserId, customUserId }: Device): DeviceAnswerBody => ({
  serviceUserId,
  isProved: customUserId !== null,
});
