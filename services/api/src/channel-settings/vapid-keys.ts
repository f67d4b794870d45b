import { HIDDEN } from '@tidings/api-spec/hidden';
import { AppError } from '@tidings/platform';
import { createECDH } from 'node:crypto';
import type { Completion } from './completion.ts';

type KeyPair = { readonly publicKey: string; readonly privateKey: string };

const PRIVATE_KEY_BYTES = 32;

/**
 * The VAPID key pair of the application. Generated at the first setup and kept afterwards; replaced
 * by `rotateKeys` or a supplied pair. After a change browsers have to subscribe again.
 */
export const completeVapidKeys: Completion = (
  { rotateKeys, publicKey, privateKey, ...rest },
  before,
) => {
  const known = before?.settings['publicKey'];
  if (rotateKeys === true) return { ...rest, ...newKeyPair() };
  if (typeof privateKey === 'string' && privateKey !== HIDDEN)
    return { ...rest, ...toKeyPair(privateKey, publicKey) };
  if (publicKey !== undefined && publicKey !== known)
    throw notValid('/privateKey', 'the private key that belongs to this public key');
  return {
    ...rest,
    ...(typeof known === 'string' ? { publicKey: known, privateKey: HIDDEN } : newKeyPair()),
  };
};

function newKeyPair(): KeyPair {
  const ecdh = createECDH('prime256v1');
  const publicKey = ecdh.generateKeys('base64url');
  // ECDH omits leading zeros; the key needs all 32 bytes.
  const privateKey = ecdh.getPrivateKey();
  return {
    publicKey,
    privateKey: Buffer.concat([
      Buffer.alloc(PRIVATE_KEY_BYTES - privateKey.length),
      privateKey,
    ]).toString('base64url'),
  };
}

/** A supplied pair, for example from another installation whose browsers are subscribed. */
function toKeyPair(privateKey: string, publicKey: unknown): KeyPair {
  const ecdh = createECDH('prime256v1');
  try {
    ecdh.setPrivateKey(Buffer.from(privateKey, 'base64url'));
  } catch {
    throw notValid('/privateKey', 'a P-256 private key in base64url');
  }
  const own = ecdh.getPublicKey('base64url');
  if (publicKey !== undefined && publicKey !== own)
    throw notValid('/publicKey', 'the public key that belongs to the private key');
  return { publicKey: own, privateKey };
}

function notValid(pointer: string, expected: string): AppError {
  return new AppError('validation_failed', 'The settings are not valid.', {
    errors: [{ pointer, code: 'invalid_value', expected }],
  });
}
