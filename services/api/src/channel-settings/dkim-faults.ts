import { HIDDEN } from '@tidings/api-spec/hidden';
import type { FieldError } from '@tidings/contracts/errors/error-codes';
import { AppError } from '@tidings/platform';
import { createPrivateKey, type KeyObject } from 'node:crypto';
import type { Completion } from './completion.ts';

/** Fields that make a signature together. */
const RSA_FIELDS = ['dkimDomain', 'dkimSelector', 'dkimPrivateKey'] as const;
/** Of a second signature, beside the first: not every receiver verifies Ed25519 (RFC 8463). */
const ED25519_FIELDS = ['dkimEd25519Selector', 'dkimEd25519PrivateKey'] as const;
/** The minimum that receivers accept (RFC 8301). */
const KEY_BITS_MIN = 1_024;

/** Rejects EMAIL settings with an unusable DKIM key. */
export const checkDkim: Completion = (settings) => {
  const errors = dkimFaults(settings);
  if (errors.length > 0)
    throw new AppError('validation_failed', 'The settings are not valid.', { errors });
  return settings;
};

/** A signature needs all of its fields, and a key that signs: found out now, not by the first campaign. */
export function dkimFaults(settings: Readonly<Record<string, unknown>>): FieldError[] {
  const isGiven = (field: string): boolean =>
    settings[field] !== undefined && settings[field] !== '';
  const hasEd25519 = ED25519_FIELDS.some(isGiven);
  if (!hasEd25519 && !RSA_FIELDS.some(isGiven)) return [];
  const fields = hasEd25519 ? [...RSA_FIELDS, ...ED25519_FIELDS] : RSA_FIELDS;
  const missing = fields.filter((field) => !isGiven(field));
  if (missing.length > 0)
    return missing.map((field) => ({
      pointer: `/${field}`,
      code: 'required',
      expected: `${fields.join(', ')} together`,
    }));
  const wrong: FieldError[] = [];
  if (!isSigningKey(settings['dkimPrivateKey'], isStrongRsaKey))
    wrong.push({
      pointer: '/dkimPrivateKey',
      code: 'invalid_value',
      expected: `an RSA private key in PEM, of ${KEY_BITS_MIN} bits or more, without a passphrase`,
    });
  if (hasEd25519 && !isSigningKey(settings['dkimEd25519PrivateKey'], isEd25519Key))
    wrong.push({
      pointer: '/dkimEd25519PrivateKey',
      code: 'invalid_value',
      expected: 'an Ed25519 private key in PEM, without a passphrase',
    });
  return wrong;
}

/** A hidden key is the one that is stored: it was checked when it was written. */
function isSigningKey(pem: unknown, isOfKind: (key: KeyObject) => boolean): boolean {
  if (pem === HIDDEN) return true;
  try {
    return isOfKind(createPrivateKey(String(pem)));
  } catch {
    return false; // Not a key, or it has a passphrase.
  }
}

function isStrongRsaKey({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): boolean {
  return asymmetricKeyType === 'rsa' && (asymmetricKeyDetails?.modulusLength ?? 0) >= KEY_BITS_MIN;
}

function isEd25519Key({ asymmetricKeyType }: KeyObject): boolean {
  return asymmetricKeyType === 'ed25519';
}
