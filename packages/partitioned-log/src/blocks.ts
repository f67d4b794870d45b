import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { LogRecord, NewRecord } from './record.ts';

/** Smaller blocks gain little from compression, and each costs a call. */
const COMPRESSED_BYTES_MIN = 4_096;
const COMPRESSION = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
/** A damaged block must not fill the memory. Larger than the largest record. */
const BLOCK_BYTES_MAX = 64 * 1024 * 1024;

const PLAIN = 0;
const ZSTD = 1;
const NO_KEY = 0xff_ff_ff_ff;
const LENGTH_BYTES = 4;

/**
 * Records as one body. First byte: 0 plain, 1 compressed by zstd. Then for each record the
 * lengths of key (0xffffffff: none), headers and value as unsigned 32-bit integers, little endian,
 * followed by these. Headers are a JSON object; without headers their length is 0.
 */
export function encodeBlock(records: readonly NewRecord[]): { body: Buffer; bytes: number } {
  const parts: Buffer[] = [Buffer.of(PLAIN)];
  for (const { key, headers, value } of records) {
    const headerBytes = encodeHeaders(headers);
    const lengths = Buffer.allocUnsafe(3 * LENGTH_BYTES);
    lengths.writeUInt32LE(key === null ? NO_KEY : key.length, 0);
    lengths.writeUInt32LE(headerBytes.length, LENGTH_BYTES);
    lengths.writeUInt32LE(value.length, 2 * LENGTH_BYTES);
    parts.push(lengths, ...(key === null ? [] : [key]), headerBytes, value);
  }
  const plain = Buffer.concat(parts);
  const bytes = plain.length;
  if (bytes < COMPRESSED_BYTES_MIN) return { body: plain, bytes };
  const compressed = zstdCompressSync(plain.subarray(1), COMPRESSION);
  return { body: Buffer.concat([Buffer.of(ZSTD), compressed]), bytes };
}

/**
 * The records of a body, in order.
 * @param last the offset of its last record
 * @throws Error if the body is damaged
 */
export function decodeBlock(
  body: Buffer,
  {
    partition,
    last,
    count,
  }: { readonly partition: number; readonly last: bigint; readonly count: number },
): LogRecord[] {
  const plain = plainOf(body);
  const records: LogRecord[] = [];
  let offset = last - BigInt(count) + 1n;
  let at = 0;
  const take = (length: number): Buffer => {
    if (at + length > plain.length) throw new Error('a block of the log is damaged');
    at += length;
    return plain.subarray(at - length, at);
  };
  while (at < plain.length) {
    const lengths = take(3 * LENGTH_BYTES);
    const keyLength = lengths.readUInt32LE(0);
    const key = keyLength === NO_KEY ? null : take(keyLength);
    const headers = decodeHeaders(take(lengths.readUInt32LE(LENGTH_BYTES)));
    const value = take(lengths.readUInt32LE(2 * LENGTH_BYTES));
    records.push({ partition, offset, key, value, headers });
    offset += 1n;
  }
  if (records.length !== count) throw new Error('a block of the log has another number of records');
  return records;
}

function plainOf(body: Buffer): Buffer {
  const [encoding] = body;
  const content = body.subarray(1);
  if (encoding === PLAIN) return content;
  if (encoding === ZSTD) return zstdDecompressSync(content, { maxOutputLength: BLOCK_BYTES_MAX });
  throw new Error('a block of the log has an unknown encoding');
}

const NO_HEADERS = Buffer.alloc(0);

function encodeHeaders(headers: Readonly<Record<string, string>>): Buffer {
  return Object.keys(headers).length === 0 ? NO_HEADERS : Buffer.from(JSON.stringify(headers));
}

function decodeHeaders(bytes: Buffer): Record<string, string> {
  return bytes.length === 0 ? {} : (JSON.parse(bytes.toString()) as Record<string, string>);
}
