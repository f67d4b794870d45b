import { readFileSync } from 'node:fs';
import Sequencer from '@jest/test-sequencer';
import { readPragma } from './pragma.mjs';

/**
 * jest's order, by the times of earlier runs. Without these, as in a fresh clone, it goes by size:
 * then files with `@slow` in their first comment come first, so that none is left alone at the end.
 */
export default class SlowFirst extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    const isFirst = (test) =>
      test.duration === undefined && readPragma(readFileSync(test.path, 'utf8'), 'slow') !== null;
    return [...sorted.filter(isFirst), ...sorted.filter((test) => !isFirst(test))];
  }
}
