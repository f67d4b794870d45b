import { expect, test } from '@jest/globals';
import { DEVICE_KINDS } from '@tidings/contracts/client-side';
import { deviceName } from './device-name.ts';

test('each kind of device has a name of its own, and none is a code', () => {
  const names = DEVICE_KINDS.map(deviceName);

  expect(new Set(names).size).toBe(DEVICE_KINDS.length);
  expect(names.filter((name) => /none|fcm|_/i.test(name))).toEqual([]);
});
