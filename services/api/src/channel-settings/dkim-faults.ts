import { HIDDEN } from '@tidings/api-spec/hidden';
import type { FieldError } from '@tidings/contracts';
import { AppError } from '@tidings/platform';
import { createPrivateKey } from 'node:crypto';
import type { Completion } from './completions.ts';

const FIELDS = ['dkimDomain', 'dkimSelector', 'dkimPrivateKey'] as const;
/** What receivers still accept (RFC 8301). */
const KEY_BITS_MIN = 1_024;

/** Settings of EMAIL as they are written, if they can sign. */
export const checkDkim: Completion = (settings) => {
  const errors = dkimFaults(settings);
  if (errors.length > 0)
    throw new AppError('validation_failed', 'The settings are not valid.', { errors });
  return settings;
};

/** A signature needs domain, selector and key together, and a key that signs: found out now, not by the first campaign. */
export function dkimFaults(settings: Readonly<Record<string, unknown>>): FieldError[] {
  const given = FIELDS.filter((field) => settings[field] !== undefined && settings[field] !== '');
  if (given.length === 0) return [];
  const missing = FIELDS.filter((field) => !given.includes(field));
  if (missing.length > 0)
    return missing.map((field) => ({
      pointer: `/${field}`,
      code: 'required',
      expected: `${FIELDS.join(', ')} together`,
    }));
  const key = settings['dkimPrivateKey'];
  if (key === HIDDEN || isSigningKey(key)) return [];
  return [
    {
      pointer: '/dkimPrivateKey',
      code: 'invalid_value',
      expected: `an RSA private key in PEM, of ${KEY_BITS_MIN} bits or more, without a passphrase`,
    },
  ];
}

function isSigningKey(pem: unknown): boolean {
  try {
    const { asymmetricKeyType, asymmetricKeyDetails } = createPrivateKey(String(pem));
    return (
      asymmetricKeyType === 'rsa' && (asymmetricKeyDetails?.modulusLength ?? 0) >= KEY_BITS_MIN
    );
  } catch {
    return false; // No key at all, or one that asks for a passphrase.
  }
}
