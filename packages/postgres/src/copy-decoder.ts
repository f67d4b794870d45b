/** A row of a binary COPY. Valid until the next one: it is the same object for all rows. */
export type CopyRow = {
  /** Has the fields; `offsets` says where each begins. */
  bytes: Buffer;
  readonly offsets: Int32Array;
  /** Bytes of each field; -1 where it is null. */
  readonly lengths: Int32Array;
};

/** Reads the format that `copy … to stdout (format binary)` sends, in chunks of any size. */
export type CopyDecoder = {
  push(chunk: Buffer): void;
  /** @throws Error if the rows did not end */
  end(): void;
};

const SIGNATURE = Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1');
/** The signature, flags, and the length of what extends the header. */
const HEADER_BYTES = SIGNATURE.length + 4 + 4;
const COUNT_BYTES = 2;
const LENGTH_BYTES = 4;

/** @throws Error from `push` for what is no such format, or has another number of fields */
export function createCopyDecoder(fields: number, onRow: (row: CopyRow) => void): CopyDecoder {
  const row: CopyRow = {
    bytes: Buffer.alloc(0),
    offsets: new Int32Array(fields),
    lengths: new Int32Array(fields),
  };
  let rest: Buffer = Buffer.alloc(0);
  let isBegun = false;
  let hasEnded = false;

  /** Where the rows begin; null until the header is there. */
  function headerEnd(bytes: Buffer): number | null {
    if (bytes.length < HEADER_BYTES) return null;
    if (!bytes.subarray(0, SIGNATURE.length).equals(SIGNATURE))
      throw new Error('a binary COPY begins with its signature');
    const end = HEADER_BYTES + bytes.readInt32BE(HEADER_BYTES - LENGTH_BYTES);
    return bytes.length < end ? null : end;
  }

  /** The end of the row that begins at `start`; null until it is there. */
  function rowEnd(bytes: Buffer, start: number): number | null {
    if (bytes.length < start + COUNT_BYTES) return null;
    const count = bytes.readInt16BE(start);
    if (count === -1) {
      hasEnded = true;
      return start + COUNT_BYTES;
    }
    if (count !== fields)
      throw new Error(`a row of a COPY has ${count} fields in place of ${fields}`);
    let at = start + COUNT_BYTES;
    for (let field = 0; field < fields; field += 1) {
      if (bytes.length < at + LENGTH_BYTES) return null;
      const length = bytes.readInt32BE(at);
      at += LENGTH_BYTES;
      row.offsets[field] = at;
      row.lengths[field] = length;
      if (length > 0) at += length;
    }
    return bytes.length < at ? null : at;
  }

  return {
    push(chunk) {
      const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      let at = 0;
      if (!isBegun) {
        const end = headerEnd(bytes);
        if (end === null) {
          rest = bytes;
          return;
        }
        isBegun = true;
        at = end;
      }
      row.bytes = bytes;
      while (!hasEnded) {
        const end = rowEnd(bytes, at);
        if (end === null) break;
        at = end;
        if (!hasEnded) onRow(row);
      }
      rest = bytes.subarray(at);
    },
    end() {
      if (!hasEnded || rest.length > 0) throw new Error('a binary COPY ended within its rows');
    },
  };
}
