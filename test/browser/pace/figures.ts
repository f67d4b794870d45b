import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { ROOT_DIR } from '@tidings/local';
import type { Figure } from '@tidings/tools/bench/report/figures';
import { median } from '@tidings/tools/bench/report/median';
import type { PageTimes } from './measure-visits.ts';

const MS_MOST = 1_000;
const RATIO_MOST = 1.5;

/** Of each page the time with many, and its ratio to the same page with one of each, by the median of the rounds. */
export const toFigures = (times: readonly PageTimes[]): readonly Figure[] =>
  times.flatMap(({ page, ms: [many = [], one = []] }) => {
    const ratios = many.map((ms, round) => ms / (one[round] ?? Number.NaN));
    return [
      { name: page, value: median(many), unit: 'ms', goal: { atMost: MS_MOST } },
      {
        name: '  beside one of each',
        value: median(ratios),
        unit: 'ratio',
        goal: { atMost: RATIO_MOST },
        note: `${median(one).toFixed(0)} ms; most ${Math.max(...many).toFixed(0)} beside ${Math.max(...one).toFixed(0)}`,
      },
    ];
  });

const SCRIPTS_KB_MOST = 140;

/** As the part `size` of the tests measures it. */
export function scriptsOfFirstPage(): Figure {
  const text = execFileSync(process.execPath, [join(ROOT_DIR, 'web', 'size.mjs')], {
    encoding: 'utf8',
  });
  return {
    name: 'scripts of the first page, gzipped, in KB',
    value: Number(/first page: ([\d.]+) KB/.exec(text)?.[1]),
    unit: 'count',
    goal: { atMost: SCRIPTS_KB_MOST },
  };
}
