import type { WebPushSubscription } from '@tidings/contracts/channels/push-notifications';
import { createECDH, randomBytes, type ECDH } from 'node:crypto';

/** A browser's keys: what it gives to the application, and what it keeps. */
export type TestBrowser = {
  readonly keys: WebPushSubscription['keys'];
  readonly ecdh: ECDH;
  readonly publicKey: Buffer;
};

export function createBrowser(auth = randomBytes(16)): TestBrowser {
  const ecdh = createECDH('prime256v1');
  const publicKey = ecdh.generateKeys();
  return {
    ecdh,
    publicKey,
    keys: { p256dh: publicKey.toString('base64url'), auth: auth.toString('base64url') },
  };
}
