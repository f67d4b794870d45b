const HIGH_WORD = 2 ** 32;

/** A time in milliseconds, of a `bigint` column of a binary `COPY`. A `BigInt` of each would take longer. */
export const readInstant = (bytes: Buffer, offset: number): number =>
  bytes.readInt32BE(offset) * HIGH_WORD + bytes.readUInt32BE(offset + 4);
