import { createDecipheriv, createHmac } from 'node:crypto';
import type { BrowserKeys } from './browser-keys.ts';

const SALT_BYTES = 16;
/** Salt, record size, length of the key id. */
const HEADER_BYTES = SALT_BYTES + 4 + 1;
const PUBLIC_KEY_BYTES = 65;
const TAG_BYTES = 16;
const CONTENT_KEY_BYTES = 16;
const NONCE_BYTES = 12;
/** Delimiter of the last record; zeros may follow. */
const LAST_RECORD = 2;

const hmac = (key: Buffer, ...parts: readonly (Buffer | string)[]): Buffer => {
  const mac = createHmac('sha256', key);
  for (const part of parts) mac.update(part);
  return mac.digest();
};

/**
 * Decrypts a push like a browser (RFC 8291, with a single RFC 8188 record).
 * @throws Error if it is not for this browser, or was changed
 */
export function decryptPush(
  body: Buffer,
  { ecdh, publicKey, auth }: Pick<BrowserKeys, 'ecdh' | 'publicKey' | 'auth'>,
): Buffer {
  const salt = body.subarray(0, SALT_BYTES);
  const senderKey = body.subarray(HEADER_BYTES, HEADER_BYTES + PUBLIC_KEY_BYTES);
  if (
    body.length <= HEADER_BYTES + PUBLIC_KEY_BYTES + TAG_BYTES ||
    body[HEADER_BYTES - 1] !== PUBLIC_KEY_BYTES
  )
    throw new Error('no aes128gcm header with a public key');
  const recordBytes = body.readUInt32BE(SALT_BYTES);
  const record = body.subarray(HEADER_BYTES + PUBLIC_KEY_BYTES);
  if (record.length > recordBytes) throw new Error('a push must be a single record');

  const shared = hmac(auth, ecdh.computeSecret(senderKey));
  const input = hmac(shared, 'WebPush: info\0', publicKey, senderKey, '\x01');
  const key = hmac(salt, input);
  const contentKey = hmac(key, 'Content-Encoding: aes128gcm\0\x01').subarray(0, CONTENT_KEY_BYTES);
  const nonce = hmac(key, 'Content-Encoding: nonce\0\x01').subarray(0, NONCE_BYTES);

  const decipher = createDecipheriv('aes-128-gcm', contentKey, nonce, { authTagLength: TAG_BYTES });
  decipher.setAuthTag(record.subarray(-TAG_BYTES));
  const padded = Buffer.concat([decipher.update(record.subarray(0, -TAG_BYTES)), decipher.final()]);
  const end = padded.findLastIndex((byte) => byte !== 0);
  if (padded[end] !== LAST_RECORD) throw new Error('the last record has no delimiter');
  return padded.subarray(0, end);
}
