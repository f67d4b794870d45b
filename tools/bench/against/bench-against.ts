import { ROOT_DIR } from '@tidings/local';
import { findCheckout } from '../../checkouts/find-checkout.ts';
import { readUsageText } from '../../checkouts/run-in-checkout.ts';
import { readCommit } from '../report/commit.ts';
import { machineFacts } from '../report/machine.ts';
import { writeResults } from '../report/write-results.ts';
import type { RowsName } from '../rows/row-counts.ts';
import { comparePairs, renderComparison, type Pair } from './compare.ts';
import { RATIO_GOALS } from './goals.ts';
import { runBench, type PartRun } from './run-bench.ts';
import { readUsage, type BenchUsage } from './usage.ts';

type AgainstOptions = {
  readonly bench: string;
  readonly parts: readonly string[];
  readonly isQuick: boolean;
  readonly rows: RowsName;
  readonly pairs: number;
};

/**
 * Runs each part alternately here and in another checkout, each run in a process and an installation
 * of its own, and prints both with their ratio. The speed of a machine drifts, so only runs that
 * alternate can be compared. Parts that the other checkout lacks are left out.
 */
export async function benchAgainst(
  pathOrCommit: string,
  { bench, parts, isQuick, rows, pairs: count }: AgainstOptions,
): Promise<void> {
  const machine = machineFacts();
  const there = findCheckout(pathOrCommit);
  const usage = readUsage(readUsageText(there, 'bench'));
  const shared = parts.filter((part) => usage.hasPart(bench, part));
  const options = optionsFor(usage, { isQuick, rows });
  for (const part of parts)
    if (!shared.includes(part)) console.error(`${part}: the other checkout has no such part`);
  const results: Record<string, object> = {};
  for (const part of shared) {
    const pairs: Pair[] = [];
    let runs: readonly PartRun[] = [];
    for (let pair = 1; pair <= count; pair += 1) {
      console.error(`${part}, pair ${pair} of ${count} …`);
      const run = (checkout: string, own: readonly string[]): Promise<PartRun> =>
        runBench(checkout, { bench, part, options: own });
      // Which of them is first changes, so that neither always has the warmer machine.
      const [first, second] =
        pair % 2 === 1 ? (['here', 'there'] as const) : (['there', 'here'] as const);
      const of = {
        here: () => run(ROOT_DIR, options.here),
        there: () => run(there, options.there),
      };
      const done = { [first]: await of[first](), [second]: await of[second]() } as Record<
        'here' | 'there',
        PartRun
      >;
      runs = [done.here, done.there];
      pairs.push({ here: done.here.figures, there: done.there.figures });
    }
    const comparisons = comparePairs(pairs, RATIO_GOALS[part]);
    console.log(renderComparison(`${bench} ${part}, ${count} pairs`, comparisons));
    console.log(storesText(runs));
    results[part] = { comparisons, pairs };
  }
  const commits = { here: readCommit(), there: readCommit(there) };
  console.log(`\nHere: ${commits.here} ${options.here.join(' ')}`);
  console.log(`There: ${commits.there} ${options.there.join(' ')}`);
  console.log(
    `${machine.cores} cores, ${machine.processor}, load ${machine.loadAtStart.toFixed(1)} at the start`,
  );
  writeResults(`${bench}-against`, {
    at: new Date().toISOString(),
    machine,
    commits,
    options,
    results,
  });
}

/** Both sides start with the same rows: none if the other checkout cannot write any. */
function optionsFor(
  usage: BenchUsage,
  { isQuick, rows }: { readonly isQuick: boolean; readonly rows: RowsName },
): { readonly here: readonly string[]; readonly there: readonly string[] } {
  const quick = isQuick ? ['--quick'] : [];
  const isShared = usage.hasOption('--rows');
  const ofRows = rows === 'none' || !isShared ? ['--empty'] : ['--rows', rows];
  if (!isShared && rows !== 'none')
    console.error('The other checkout cannot write rows: both start with empty tables');
  return { here: [...quick, ...ofRows], there: [...quick, ...(isShared ? ofRows : [])] };
}

/** Different settings of the stores make the ratio unfair. */
function storesText([here, there]: readonly PartRun[]): string {
  const [ours, theirs] = [here, there].map((run) => JSON.stringify(run?.stores) ?? 'unknown');
  return ours === theirs ? `Stores: ${ours}` : `Stores here: ${ours}\nStores there: ${theirs}`;
}
