import { DEVICE_CHANNELS, type DeviceChannel } from '../../rigs/audience.ts';
import { userOf } from '../../rigs/delivery-rig.ts';
import type { Entry } from '../ledger.ts';
import { between, pick, type Random } from '../random.ts';

/** A campaign to devices, with all attempts. */
export type DevicePush = Entry & {
  readonly channel: DeviceChannel;
  readonly key: string;
  readonly recipients: readonly string[];
  readonly body: string;
};

const RECIPIENTS_MAX = 4;

/**
 * Creates pushes to some users by some channel; `prefix` begins all keys, so that runs on one
 * installation do not collide.
 */
export function createDevicePushes({
  random,
  users,
  prefix,
}: {
  readonly random: Random;
  readonly users: number;
  readonly prefix: string;
}): { next(): DevicePush } {
  let count = 0;
  return {
    next() {
      const key = `${prefix}-device-${(count += 1)}`;
      const channel = pick(random, DEVICE_CHANNELS);
      const first = Math.floor(random() * users);
      const recipients = Array.from(
        { length: Math.min(users, Math.ceil(between(random, 0, RECIPIENTS_MAX))) },
        (_, index) => userOf((first + index) % users),
      );
      return {
        channel,
        key,
        recipients,
        body: JSON.stringify({
          recipients,
          channel,
          message: { title: key, body: `${key} to ${recipients.length}` },
        }),
        attempts: [],
      };
    },
  };
}
