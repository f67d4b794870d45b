import { hash } from 'node:crypto';

const BLOCK_BYTES = 64;
const DIGEST_BYTES = 32;
const TEXT_BYTES_MAX = 256;
const INNER_PAD = 0x36;
const OUTER_PAD = 0x5c;

// Shared by all calls: each call overwrites what it reads, and none yields.
const inner = Buffer.alloc(BLOCK_BYTES + TEXT_BYTES_MAX);
const outer = Buffer.alloc(BLOCK_BYTES + DIGEST_BYTES);

/**
 * HMAC-SHA-256 (RFC 2104) of a short text under a key that is used once or twice. `createHmac`
 * prepares a key object for each key, and costs six times as much.
 * @throws RangeError for a key of more than 64 bytes or a text of more than 256
 */
export function hmacSha256(key: Uint8Array, text: Uint8Array): Buffer {
  if (key.length > BLOCK_BYTES || text.length > TEXT_BYTES_MAX)
    throw new RangeError('the key or the text is too long');
  for (let index = 0; index < BLOCK_BYTES; index += 1) {
    const byte = key[index] ?? 0;
    inner[index] = byte ^ INNER_PAD;
    outer[index] = byte ^ OUTER_PAD;
  }
  inner.set(text, BLOCK_BYTES);
  hash('sha256', inner.subarray(0, BLOCK_BYTES + text.length), 'buffer').copy(outer, BLOCK_BYTES);
  return hash('sha256', outer, 'buffer');
}
