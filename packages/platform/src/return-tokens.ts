import { createHmac, timingSafeEqual, type KeyObject } from 'node:crypto';
import { fromBase36, toBase36 } from './base36.ts';
import type { EncryptionKeys } from './encryption-keys.ts';
import { attemptOf, attemptParts, type AttemptId } from './signed-attempts.ts';
import { signingKeys } from './signing-keys.ts';

/** A token that opened: the attempt that it was signed for, and whether that went to an address. */
export type ReturnToken = AttemptId & {
  /** Whatever the letter case. */
  isTo(address: string): boolean;
};

/** Writes into return addresses which attempt a mail was, and to whom: the profile may have another address when it comes back. */
export interface ReturnTokens {
  /** Small letters and digits with two dots, 58 characters at most: with a word before it, it fits the local part of an address. */
  sign(attempt: AttemptId, address: string): string;
  /** In any letter case; null when anything was changed, or signed for another purpose. */
  open(text: string): ReturnToken | null;
}

/** Of the address: enough to tell it from the few that a report names. It is keyed and of this attempt alone, so that tokens cannot be compared. */
const MARK_BYTES = 6;
/** Together with the mark as long as other signatures: a local part has 64 characters (RFC 5321, 4.5.3.1.1). */
const SIGNATURE_BYTES = 10;
const SEAL_BYTES = MARK_BYTES + SIGNATURE_BYTES;

/** @param keys the first signs, all of them open @param purpose what the tokens are for: one made for another purpose does not open */
export function createReturnTokens(keys: string | EncryptionKeys, purpose: string): ReturnTokens {
  const [newest, ...older] = signingKeys(keys, `return-token|${purpose}`);
  return {
    sign(attempt, address) {
      const text = attemptParts(attempt).join('.');
      const mark = markOf(newest, text, address);
      return `${text}.${toBase36(Buffer.concat([mark, signatureOf(newest, text, mark)]))}`;
    },
    open(received) {
      const [id = '', fence = '', seal = '', ...rest] = received.toLowerCase().split('.');
      const attempt = attemptOf([id, fence]);
      const bytes = fromBase36(seal, SEAL_BYTES);
      if (attempt === null || bytes === null || rest.length > 0) return null;
      const text = `${id}.${fence}`;
      const mark = bytes.subarray(0, MARK_BYTES);
      const key = [newest, ...older].find((candidate) =>
        timingSafeEqual(bytes.subarray(MARK_BYTES), signatureOf(candidate, text, mark)),
      );
      return key === undefined
        ? null
        : { ...attempt, isTo: (address) => timingSafeEqual(mark, markOf(key, text, address)) };
    },
  };
}

function markOf(key: KeyObject, text: string, address: string): Buffer {
  return createHmac('sha256', key)
    .update(`address|${text}|${address.toLowerCase()}`)
    .digest()
    .subarray(0, MARK_BYTES);
}

function signatureOf(key: KeyObject, text: string, mark: Buffer): Buffer {
  return createHmac('sha256', key)
    .update(`token|${text}|${mark.toString('hex')}`)
    .digest()
    .subarray(0, SIGNATURE_BYTES);
}
