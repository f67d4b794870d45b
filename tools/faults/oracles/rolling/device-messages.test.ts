import { expect, test } from '@jest/globals';
import type { DevicePush } from '../../load/devices/pushes.ts';
import type { DeviceChannel } from '../../rigs/audience.ts';
import { checkDeviceMessages, type DeviceEvidence } from './device-messages.ts';

const push = (channel: DeviceChannel): DevicePush => ({
  channel,
  key: 'push',
  recipients: ['ada'],
  body: '',
  attempts: [{ sentAt: 1, answeredAt: 2, status: 200, campaignId: 'c1' }],
});
const delivery = {
  deliveryId: 'd1',
  campaignId: 'c1',
  customUserId: 'ada',
  state: 'displayed',
  reason: null,
} as const;
const evidence = (own: Partial<DeviceEvidence>): DeviceEvidence => ({
  campaigns: [{ campaignId: 'c1' }],
  deliveries: [delivery],
  arrivals: new Map(),
  accepted: [],
  ...own,
});
const arrived = (times: number): Partial<DeviceEvidence> => ({
  arrivals: new Map([['d1', times]]),
});
const taken = (times: number): Partial<DeviceEvidence> => ({
  accepted: Array.from({ length: times }, () => ({ deliveryId: 'd1' })),
});

test.each<[string, DeviceChannel, Partial<DeviceEvidence>]>([
  ['a message that a device has shown', 'IN_APP', arrived(1)],
  [
    'a push that its service took',
    'WEB_PUSH',
    { ...taken(1), deliveries: [{ ...delivery, state: 'sent' }] },
  ],
])('nothing is wrong with %s', (_name, channel, own) => {
  expect(checkDeviceMessages([push(channel)], evidence(own))).toEqual({
    lost: [],
    twice: [],
    repeated: [],
  });
});

test.each<[string, DeviceChannel, Partial<DeviceEvidence>, string]>([
  ['a recipient has no delivery', 'IN_APP', { deliveries: [] }, 'push: no delivery to ada'],
  ['nothing came', 'ON_SITE', {}, 'ON_SITE push: nothing came to ada'],
  [
    'it waits still',
    'IN_APP',
    { ...arrived(1), deliveries: [{ ...delivery, state: 'waiting' }] },
    'IN_APP push: ada is waiting ',
  ],
  [
    'unknown',
    'APP_PUSH',
    { ...taken(1), deliveries: [{ ...delivery, state: 'unknown' }] },
    'APP_PUSH push: ada is unknown ',
  ],
  ['the service took nothing', 'APP_PUSH', {}, 'APP_PUSH push: nothing came to ada'],
])('lost: %s', (_name, channel, own, found) => {
  expect(checkDeviceMessages([push(channel)], evidence(own)).lost).toEqual([found]);
});

test.each<[string, DeviceChannel, Partial<DeviceEvidence>, string]>([
  ['it came again to a device', 'IN_APP', arrived(2), 'IN_APP push: 2 times to ada'],
  ['it was pushed again', 'WEB_PUSH', taken(2), 'WEB_PUSH push: 2 times to ada'],
])('repeated: %s', (_name, channel, own, found) => {
  expect(checkDeviceMessages([push(channel)], evidence(own)).repeated).toEqual([found]);
});

test.each<[string, DeviceChannel, Partial<DeviceEvidence>, string]>([
  [
    'another delivery',
    'IN_APP',
    {
      arrivals: new Map([
        ['d1', 1],
        ['d2', 1],
      ]),
      deliveries: [delivery, { ...delivery, deliveryId: 'd2' }],
    },
    'push: 2 deliveries to 1',
  ],
  [
    'another campaign',
    'IN_APP',
    { ...arrived(1), campaigns: [{ campaignId: 'c1' }, { campaignId: 'c2' }] },
    '2 campaigns of 1 pushes',
  ],
])('twice: %s', (_name, channel, own, found) => {
  expect(checkDeviceMessages([push(channel)], evidence(own)).twice).toEqual([found]);
});
