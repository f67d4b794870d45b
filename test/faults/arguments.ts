import type { FaultRow, Plan } from './fault-row.ts';
import { LONG_PLAN, LONG_SEEDS } from './plans.ts';

export type Arguments = { readonly suite: string; readonly rows: readonly FaultRow[]; readonly seeds: number; readonly plan: Plan };

type Suites = Readonly<Record<string, readonly FaultRow[]>>;

export function usageOf(suites: Suites): string {
  return Object.entries(suites)
    .map(([suite, rows]) => `Usage: npm run faults -- ${suite} [${rows.map(({ id }) => id).join(' ')}] [--seeds 3] [--seconds 30] [--rate 150]`)
    .join('\n');
}

/** The long form of everything, or what the command line says; null when that cannot be. */
export function readArguments(words: readonly string[], suites: Suites): Arguments | null {
  const options = new Map<string, number>();
  const names: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (!word.startsWith('--')) names.push(word);
    else options.set(word.slice(2), Number(words[(at += 1)]));
  }
  const [suite = '', ...ids] = names;
  const all = suites[suite];
  if (all === undefined || [...options].some(([name, value]) => !['seeds', 'seconds', 'rate'].includes(name) || !(value > 0))) return null;
  const rows = all.filter(({ id }) => ids.length === 0 || ids.includes(id));
  if (ids.some((id) => !rows.some((row) => row.id === id))) return null;
  const seconds = options.get('seconds');
  const plan = {
    ...LONG_PLAN,
    requestsPerSecond: options.get('rate') ?? LONG_PLAN.requestsPerSecond,
    ...(seconds !== undefined && { outageMs: seconds * 1000, kills: Math.min(LONG_PLAN.kills, seconds) }),
  };
  return { suite, rows, seeds: options.get('seeds') ?? LONG_SEEDS, plan };
}
