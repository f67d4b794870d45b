import { createHmac, timingSafeEqual, type KeyObject } from 'node:crypto';
import { fromBase36, toBase36 } from './base36.ts';
import type { EncryptionKeys } from './encryption-keys.ts';
import { mailboxKey } from './mailbox-key.ts';
import { parseAttempt, attemptParts, type AttemptId } from './signed-attempts.ts';
import { signingKeys } from './signing-keys.ts';

/** A verified token: its attempt, and whether the attempt went to an address. */
export type ReturnToken = AttemptId & {
  /** In any spelling of the mailbox. */
  isTo(address: string): boolean;
};

/**
 * Signs an attempt and its address into a mail return address. The profile may have another address
 * when the mail bounces.
 */
export interface ReturnTokens {
  /**
   * At most 58 characters: lower-case letters, digits and two dots. With a prefix it fits into the
   * local part of an address.
   */
  sign(attempt: AttemptId, address: string): string;
  /** Case-insensitive. Null if anything was changed or the token has another purpose. */
  open(text: string): ReturnToken | null;
}

/**
 * Bytes of the address mark: enough to distinguish the few addresses of a report. It is keyed per
 * attempt, so tokens cannot be compared.
 */
const MARK_BYTES = 6;
/**
 * Mark and signature are together as long as other signatures: a local part has at most 64
 * characters (RFC 5321, 4.5.3.1.1).
 */
const SIGNATURE_BYTES = 10;
const SEAL_BYTES = MARK_BYTES + SIGNATURE_BYTES;

/**
 * @param keys the first signs, all verify
 * @param purpose what the tokens are for; a token with another purpose is invalid
 */
export function createReturnTokens(keys: string | EncryptionKeys, purpose: string): ReturnTokens {
  const [newest, ...older] = signingKeys(keys, `return-token|${purpose}`);
  return {
    sign(attempt, address) {
      const text = attemptParts(attempt).join('.');
      const mark = computeMark(newest, text, mailboxKey(address));
      return `${text}.${toBase36(Buffer.concat([mark, computeSignature(newest, text, mark)]))}`;
    },
    open(received) {
      const [id = '', fence = '', seal = '', ...rest] = received.toLowerCase().split('.');
      const attempt = parseAttempt([id, fence]);
      const bytes = fromBase36(seal, SEAL_BYTES);
      if (attempt === null || bytes === null || rest.length > 0) return null;
      const text = `${id}.${fence}`;
      const mark = bytes.subarray(0, MARK_BYTES);
      const key = [newest, ...older].find((candidate) =>
        timingSafeEqual(bytes.subarray(MARK_BYTES), computeSignature(candidate, text, mark)),
      );
      return key === undefined
        ? null
        : {
            ...attempt,
            // Earlier versions signed the spelling in lower case.
            isTo: (address) =>
              [mailboxKey(address), address.toLowerCase()].some((spelling) =>
                timingSafeEqual(mark, computeMark(key, text, spelling)),
              ),
          };
    },
  };
}

function computeMark(key: KeyObject, text: string, address: string): Buffer {
  return createHmac('sha256', key)
    .update(`address|${text}|${address}`)
    .digest()
    .subarray(0, MARK_BYTES);
}

function computeSignature(key: KeyObject, text: string, mark: Buffer): Buffer {
  return createHmac('sha256', key)
    .update(`token|${text}|${mark.toString('hex')}`)
    .digest()
    .subarray(0, SIGNATURE_BYTES);
}
