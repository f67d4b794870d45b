import type { OutgoingRecord } from './bus.ts';

// A broker limits the batch of a partition (max.message.bytes, at least 1 MiB here), not the single
// record.
const SEND_BYTES_MAX = 1_000_000;
const SEND_RECORDS_MAX = 2_000;
const RECORD_OVERHEAD_BYTES = 64;

/** Splits records into requests of bounded size. A record above the bound goes alone. */
export function splitBySize(records: readonly OutgoingRecord[]): OutgoingRecord[][] {
  const parts: OutgoingRecord[][] = [];
  let part: OutgoingRecord[] = [];
  let partBytes = 0;
  for (const record of records) {
    const bytes = recordBytes(record);
    if (
      part.length > 0 &&
      (partBytes + bytes > SEND_BYTES_MAX || part.length === SEND_RECORDS_MAX)
    ) {
      parts.push(part);
      part = [];
      partBytes = 0;
    }
    part.push(record);
    partBytes += bytes;
  }
  if (part.length > 0) parts.push(part);
  return parts;
}

/** The approximate size of a record in a request. */
export function recordBytes({ key, value, headers = {} }: OutgoingRecord): number {
  let bytes =
    RECORD_OVERHEAD_BYTES + Buffer.byteLength(value) + (key === null ? 0 : Buffer.byteLength(key));
  for (const [name, text] of Object.entries(headers))
    bytes += name.length + Buffer.byteLength(text);
  return bytes;
}
