import type { StoredCount, StoredRuns } from './stored-runs.ts';

/** Counters of an automation that differ from a recount of its runs and their lines. */
export function compareCounts({ runs, lines, counts }: Omit<StoredRuns, 'messages'>): string[] {
  const counted = new Map(counts.map((count) => [nameOf(count), count.n]));
  const recounted = recount({ runs, lines });
  return [...new Set([...counted.keys(), ...recounted.keys()])].toSorted().flatMap((name) => {
    const [n, expected] = [counted.get(name) ?? 0, recounted.get(name) ?? 0];
    return n === expected ? [] : [`${name}: ${n} counted, ${expected} stored`];
  });
}

function recount({ runs, lines }: Pick<StoredRuns, 'runs' | 'lines'>): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  const add = (count: Omit<StoredCount, 'n'>): void =>
    void sums.set(nameOf(count), (sums.get(nameOf(count)) ?? 0) + 1);
  for (const { status, hasGoal } of runs) {
    add({ node: '', outcome: 'entered', reason: '' });
    if (status !== 'active') add({ node: '', outcome: status, reason: '' });
    if (hasGoal) add({ node: '', outcome: 'goal', reason: '' });
  }
  const visited = new Set<string>();
  for (const { runId, node, outcome, reason } of lines) {
    if (node === '') continue;
    if (!visited.has(`${runId} ${node}`)) add({ node, outcome: 'entered', reason: '' });
    visited.add(`${runId} ${node}`);
    if (outcome === 'waiting') continue;
    const isApart = outcome === 'passed' || outcome === 'skipped';
    add({ node, outcome, reason: isApart ? (reason ?? '') : '' });
  }
  return sums;
}

const nameOf = ({ node, outcome, reason }: Omit<StoredCount, 'n'>): string =>
  [node === '' ? 'automation' : node, outcome, reason].filter((part) => part !== '').join(' ');
