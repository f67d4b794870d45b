import { HIDDEN } from '@tidings/api-spec/hidden';
import { AppError } from '@tidings/platform';
import { createECDH } from 'node:crypto';
import type { Completion } from './completions.ts';

type KeyPair = { readonly publicKey: string; readonly privateKey: string };

const PRIVATE_KEY_BYTES = 32;

/**
 * The key pair by which browsers know the application (VAPID): made when the channel is set up first, kept by every change
 * after that, replaced where `rotateKeys` or another pair is written. Browsers that subscribed with the old one have to subscribe anew.
 */
export const completeVapidKeys: Completion = (
  { rotateKeys, publicKey, privateKey, ...rest },
  before,
) => {
  const known = before?.settings['publicKey'];
  if (rotateKeys === true) return { ...rest, ...newKeyPair() };
  if (typeof privateKey === 'string' && privateKey !== HIDDEN)
    return { ...rest, ...pairOf(privateKey, publicKey) };
  if (publicKey !== undefined && publicKey !== known)
    throw notValid('/privateKey', 'the private key of this public key');
  return {
    ...rest,
    ...(typeof known === 'string' ? { publicKey: known, privateKey: HIDDEN } : newKeyPair()),
  };
};

function newKeyPair(): KeyPair {
  const ecdh = createECDH('prime256v1');
  const publicKey = ecdh.generateKeys('base64url');
  // Without its leading zeros, of which a key needs all.
  const privateKey = ecdh.getPrivateKey();
  return {
    publicKey,
    privateKey: Buffer.concat([
      Buffer.alloc(PRIVATE_KEY_BYTES - privateKey.length),
      privateKey,
    ]).toString('base64url'),
  };
}

/** A pair of another installation, for which browsers have subscribed. */
function pairOf(privateKey: string, publicKey: unknown): KeyPair {
  const ecdh = createECDH('prime256v1');
  try {
    ecdh.setPrivateKey(Buffer.from(privateKey, 'base64url'));
  } catch {
    throw notValid('/privateKey', 'a private key on P-256 in base64url');
  }
  const own = ecdh.getPublicKey('base64url');
  if (publicKey !== undefined && publicKey !== own)
    throw notValid('/publicKey', 'the public key of the private key');
  return { publicKey: own, privateKey };
}

function notValid(pointer: string, expected: string): AppError {
  return new AppError('validation_failed', 'The settings are not valid.', {
    errors: [{ pointer, code: 'invalid_value', expected }],
  });
}
