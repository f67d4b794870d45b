/** Size; in a request: API key, API version, correlation id; in a response: correlation id. */
export const SIZE_BYTES = 4;

/** Assembles complete frames, including their size, from arbitrary chunks. */
export function createFrameReader(): { read(bytes: Buffer): Buffer[] } {
  let rest: Buffer = Buffer.alloc(0);
  return {
    read(bytes) {
      rest = Buffer.concat([rest, bytes]);
      const frames: Buffer[] = [];
      while (rest.length >= SIZE_BYTES && rest.length >= SIZE_BYTES + rest.readInt32BE(0)) {
        const end = SIZE_BYTES + rest.readInt32BE(0);
        frames.push(rest.subarray(0, end));
        rest = rest.subarray(end);
      }
      return frames;
    },
  };
}
