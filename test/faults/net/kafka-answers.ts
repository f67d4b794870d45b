import type { Filter } from './tcp-proxy.ts';

const PRODUCE = 0;
/** Size, then in a request: API key, API version, correlation id; in an answer: correlation id. */
const SIZE_BYTES = 4;

export type AnswerDropper = {
  createFilter(): Filter;
  /** The next answer to a produce request is swallowed: with its connection, or alone. */
  dropNext(how: 'answer' | 'connection'): void;
  dropped(): number;
};

/** Loses answers to produce requests: the broker has written the records and the producer does not hear of it. */
export function createAnswerDropper(): AnswerDropper {
  let next: 'answer' | 'connection' | undefined;
  let dropped = 0;

  function createFilter(): Filter {
    const produceIds = new Set<number>();
    const requests = createFrameReader();
    const answers = createFrameReader();
    return {
      request(bytes) {
        for (const frame of requests.read(bytes)) {
          if (frame.readInt16BE(SIZE_BYTES) === PRODUCE) produceIds.add(frame.readInt32BE(SIZE_BYTES + 4));
        }
        return bytes;
      },
      answer(bytes) {
        const kept: Buffer[] = [];
        for (const frame of answers.read(bytes)) {
          const isProduce = produceIds.delete(frame.readInt32BE(SIZE_BYTES));
          if (!isProduce || next === undefined) {
            kept.push(frame);
            continue;
          }
          const how = next;
          next = undefined;
          dropped += 1;
          if (how === 'connection') return null;
        }
        return Buffer.concat(kept);
      },
    };
  }

  return {
    createFilter,
    dropNext: (how) => {
      next = how;
    },
    dropped: () => dropped,
  };
}

/** Whole frames, their sizes included, out of whatever pieces arrive. */
function createFrameReader(): { read(bytes: Buffer): Buffer[] } {
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
