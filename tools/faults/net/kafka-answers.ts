import { createFrameReader, SIZE_BYTES } from './kafka-frames.ts';
import type { Filter } from './tcp-proxy.ts';

const PRODUCE = 0;

export type AnswerDropper = {
  createFilter(): Filter;
  /** Drops the next produce response, alone or with its connection. */
  dropNext(how: 'answer' | 'connection'): void;
  dropped(): number;
};

/**
 * Drops responses to produce requests: the broker has written the records, and the producer does
 * not know.
 */
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
          if (frame.readInt16BE(SIZE_BYTES) === PRODUCE)
            produceIds.add(frame.readInt32BE(SIZE_BYTES + 4));
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
