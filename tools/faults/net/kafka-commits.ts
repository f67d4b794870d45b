import { createFrameReader, SIZE_BYTES } from './kafka-frames.ts';
import type { Filter } from './tcp-proxy.ts';

const OFFSET_COMMIT = 8;
/**
 * API key, API version and correlation id precede the client id and the group, each with its
 * length.
 */
const CLIENT_ID_AT = SIZE_BYTES + 8;

/** Watches responses to offset commits by group; returning false closes the connection. */
export function watchCommits(answer: (group: string) => boolean): Filter {
  const groups = new Map<number, string>();
  const requests = createFrameReader();
  const answers = createFrameReader();
  return {
    request(bytes) {
      for (const frame of requests.read(bytes)) {
        if (frame.readInt16BE(SIZE_BYTES) === OFFSET_COMMIT)
          groups.set(frame.readInt32BE(SIZE_BYTES + 4), readGroup(frame));
      }
      return bytes;
    },
    answer(bytes) {
      for (const frame of answers.read(bytes)) {
        const correlationId = frame.readInt32BE(SIZE_BYTES);
        const group = groups.get(correlationId);
        groups.delete(correlationId);
        if (group !== undefined && !answer(group)) return null;
      }
      return bytes;
    },
  };
}

function readGroup(frame: Buffer): string {
  const lengthAt = CLIENT_ID_AT + 2 + Math.max(0, frame.readInt16BE(CLIENT_ID_AT));
  return frame.toString('utf8', lengthAt + 2, lengthAt + 2 + frame.readInt16BE(lengthAt));
}
