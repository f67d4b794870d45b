import type { DeviceKind } from '@tidings/contracts/client-side';

/** Firebase carries pushes to Android and to iOS alike. */
const NAMES: Readonly<Record<DeviceKind, string>> = {
  web_push: 'Browser',
  fcm: 'App',
  none: 'Without push',
};

/** What a device of a person is, by how it gets pushes. */
export const deviceName = (kind: DeviceKind): string => NAMES[kind];
