import { setImmediate as turn } from 'node:timers/promises';

/** Persons or events that are handled at a time: one or two milliseconds. */
const PIECE = 10_000;

/**
 * Handles `size` items in pieces. Between two of them all else that the process does has its turn: a
 * request does not wait for a question about all persons.
 */
export async function inPieces(
  size: number,
  handle: (from: number, to: number) => void,
): Promise<void> {
  for (let from = 0; from < size; from += PIECE) {
    if (from > 0) await turn();
    handle(from, Math.min(from + PIECE, size));
  }
}
