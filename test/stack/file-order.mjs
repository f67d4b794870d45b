import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import Sequencer from '@jest/test-sequencer';
import { readPragma } from './pragma.mjs';

/**
 * jest's order, by the times of earlier runs. Without these, as in a fresh clone, it goes by size:
 * then files with `@slow` in their first comment come first, so that none is left alone at the end.
 *
 * `TEST_ORDER=TEXT` shuffles instead, always in the same way for the same text. Files of a worker share
 * modules: a file that depends on what others left there fails in some order.
 */
export default class FileOrder extends Sequencer {
  sort(tests) {
    const order = process.env.TEST_ORDER;
    if (order !== undefined) return shuffle(tests, order);
    const sorted = super.sort(tests);
    const isFirst = (test) =>
      test.duration === undefined && readPragma(readFileSync(test.path, 'utf8'), 'slow') !== null;
    return [...sorted.filter(isFirst), ...sorted.filter((test) => !isFirst(test))];
  }
}

function shuffle(tests, order) {
  const rankOf = ({ path, context }) =>
    createHash('sha256')
      .update(`${order} ${path.slice(context.config.rootDir.length)}`)
      .digest('hex');
  return tests
    .map((test) => ({ test, rank: rankOf(test) }))
    .sort((a, b) => (a.rank < b.rank ? -1 : 1))
    .map(({ test }) => test);
}
