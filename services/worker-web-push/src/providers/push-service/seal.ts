import type { WebPushSubscription } from '@tidings/contracts/channels/push-notifications';
import { createCipheriv, createECDH, randomFillSync } from 'node:crypto';
import { hmacSha256 } from './hmac.ts';

const PUBLIC_KEY_BYTES = 65;
/** First byte of an uncompressed point, the only form of RFC 8291, section 4. */
const UNCOMPRESSED_POINT = 4;
const AUTH_BYTES = 16;
const SALT_BYTES = 16;
const CONTENT_KEY_BYTES = 16;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** A push is one record; every push service accepts 4,096 bytes. */
const RECORD_BYTES = 4_096;
/** Salt, record size, length of the key id, key id: the sender's public key. */
const KEY_LENGTH_AT = SALT_BYTES + 4;
const HEADER_BYTES = KEY_LENGTH_AT + 1 + PUBLIC_KEY_BYTES;
/** Ends the text of the last record (RFC 8188, section 2). */
const LAST_RECORD = 2;
const RANDOM_PAGE_BYTES = 4_096;

/** HKDF (RFC 5869): output of at most 32 bytes ends with the counter 1. */
const INPUT_KEY_LABEL = Buffer.from('WebPush: info\0');
const CONTENT_KEY_INFO = Buffer.from('Content-Encoding: aes128gcm\0\x01');
const NONCE_INFO = Buffer.from('Content-Encoding: nonce\0\x01');
const COUNTER = 1;

/** What the sender creates for one push and never uses again (RFC 8291, section 2). */
export type PushSender = {
  readonly publicKey: Buffer;
  readonly salt: Buffer;
  /** @throws Error if the key is not a point of the curve */
  sharedSecretWith(browserKey: Buffer): Buffer;
};

/**
 * Encrypts a push for one browser (RFC 8291). The result is the body of the request: a header and
 * one record of RFC 8188, 103 bytes more than the text.
 * @throws Error if the keys are not those of a browser
 */
export function sealPush(
  text: Buffer,
  { p256dh, auth }: WebPushSubscription['keys'],
  createSender: () => PushSender = createPushSender,
): Buffer {
  const browserKey = Buffer.from(p256dh, 'base64url');
  if (browserKey.length !== PUBLIC_KEY_BYTES || browserKey[0] !== UNCOMPRESSED_POINT)
    throw new Error('the subscription’s p256dh is not an uncompressed point');
  const authSecret = Buffer.from(auth, 'base64url');
  if (authSecret.length !== AUTH_BYTES)
    throw new Error(`the subscription’s auth does not have ${AUTH_BYTES} bytes`);
  const sender = createSender();
  const { contentKey, nonce } = deriveKeys(sender, { browserKey, authSecret });

  const body = Buffer.allocUnsafe(HEADER_BYTES + text.length + 1 + TAG_BYTES);
  sender.salt.copy(body);
  body.writeUInt32BE(RECORD_BYTES, SALT_BYTES);
  body[KEY_LENGTH_AT] = PUBLIC_KEY_BYTES;
  sender.publicKey.copy(body, KEY_LENGTH_AT + 1);
  // The plain text lies where its encrypted form is then written.
  text.copy(body, HEADER_BYTES);
  const tagAt = HEADER_BYTES + text.length + 1;
  body[tagAt - 1] = LAST_RECORD;
  const cipher = createCipheriv('aes-128-gcm', contentKey, nonce, { authTagLength: TAG_BYTES });
  cipher.update(body.subarray(HEADER_BYTES, tagAt)).copy(body, HEADER_BYTES);
  cipher.final();
  cipher.getAuthTag().copy(body, tagAt);
  return body;
}

function deriveKeys(
  { publicKey, salt, sharedSecretWith }: PushSender,
  { browserKey, authSecret }: { readonly browserKey: Buffer; readonly authSecret: Buffer },
): { readonly contentKey: Buffer; readonly nonce: Buffer } {
  const shared = hmacSha256(authSecret, sharedSecretWith(browserKey));
  const info = Buffer.concat([INPUT_KEY_LABEL, browserKey, publicKey, Buffer.of(COUNTER)]);
  const key = hmacSha256(salt, hmacSha256(shared, info));
  return {
    contentKey: hmacSha256(key, CONTENT_KEY_INFO).subarray(0, CONTENT_KEY_BYTES),
    nonce: hmacSha256(key, NONCE_INFO).subarray(0, NONCE_BYTES),
  };
}

/** One object for all pushes: creating it costs as much as a key pair. */
const curve = createECDH('prime256v1');
const randomPage = Buffer.alloc(RANDOM_PAGE_BYTES);
let randomAt = RANDOM_PAGE_BYTES;

/** Creates a key pair, which replaces the one of the push before, and a salt. */
export function createPushSender(): PushSender {
  return {
    publicKey: curve.generateKeys(),
    salt: createSalt(),
    sharedSecretWith: (browserKey) => curve.computeSecret(browserKey),
  };
}

/** The next bytes of a page of random bytes: a call of the generator costs more than 16 bytes. */
function createSalt(): Buffer {
  if (randomAt === RANDOM_PAGE_BYTES) {
    randomFillSync(randomPage);
    randomAt = 0;
  }
  randomAt += SALT_BYTES;
  return randomPage.subarray(randomAt - SALT_BYTES, randomAt);
}
