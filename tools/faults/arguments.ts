import type { BusKind } from '@tidings/local';
import type { Plan, RowHead } from './fault-row.ts';
import { LONG_SEEDS } from './plans.ts';
import type { Suite } from './suites/suite.ts';

export type Arguments = {
  readonly suite: string;
  readonly bus: BusKind;
  readonly rows: readonly RowHead[];
  /** In run order: `--seeds 3` is 1, 2 and 3; `--seed 3` is only 3. */
  readonly seeds: readonly number[];
  /** For rows without their own plan. */
  readonly plan: Plan;
  /** A commit or a checkout, for an upgrade. */
  readonly from?: string;
  /** A commit or a checkout, to be measured too. */
  readonly against?: string;
  /** Values from the command line; they override a row's own plan. */
  readonly chosen: Partial<Plan>;
};

type Suites = Readonly<
  Record<string, Pick<Suite, 'rows' | 'longPlan' | 'needsFrom' | 'takesAgainst'>>
>;

export function describeUsage(suites: Suites): string {
  return Object.entries(suites)
    .map(
      ([name, { rows, longPlan, needsFrom, takesAgainst }]) =>
        `Usage: npm run faults -- ${name} [${rows.map(({ id }) => id).join(' ')}] [--seeds ${LONG_SEEDS} | --seed 1] [--seconds ${longPlan.outageMs / 1000}] [--rate ${longPlan.requestsPerSecond}] [--users ${longPlan.users}]${needsFrom ? ' --from COMMIT' : ' [--bus postgres]'}${takesAgainst ? ' [--against COMMIT]' : ''}`,
    )
    .join('\n');
}

/** Parses the command line; defaults to the long form of everything. Null if invalid. */
export function readArguments(words: readonly string[], suites: Suites): Arguments | null {
  const options = new Map<string, number>();
  const names: string[] = [];
  let from: string | undefined;
  let against: string | undefined;
  let bus: string | undefined = 'kafka';
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (!word.startsWith('--')) names.push(word);
    else if (word === '--from') from = words[(at += 1)];
    else if (word === '--against') against = words[(at += 1)] ?? '';
    else if (word === '--bus') bus = words[(at += 1)];
    else options.set(word.slice(2), Number(words[(at += 1)]));
  }
  const [suite = '', ...ids] = names;
  const wanted = suites[suite];
  if (
    wanted === undefined ||
    !isBusKind(bus) ||
    (from !== undefined) !== (wanted.needsFrom === true) ||
    (against !== undefined && (against === '' || wanted.takesAgainst !== true)) ||
    [...options].some(
      ([name, value]) =>
        !['seeds', 'seed', 'seconds', 'rate', 'users'].includes(name) || !(value > 0),
    )
  )
    return null;
  const { longPlan } = wanted;
  const rows = wanted.rows.filter(
    ({ id, needsKafka }) =>
      (ids.length === 0 || ids.includes(id)) && (bus === 'kafka' || needsKafka !== true),
  );
  if (ids.some((id) => !rows.some((row) => row.id === id))) return null;
  const chosen = readChosen(options, longPlan);
  return {
    suite,
    bus,
    rows,
    seeds: listSeeds(options),
    plan: { ...longPlan, ...chosen },
    chosen,
    ...(from !== undefined && { from }),
    ...(against !== undefined && { against }),
  };
}

function isBusKind(word: string | undefined): word is BusKind {
  return word === 'kafka' || word === 'postgres';
}

function listSeeds(options: ReadonlyMap<string, number>): readonly number[] {
  const only = options.get('seed');
  return only === undefined
    ? Array.from({ length: options.get('seeds') ?? LONG_SEEDS }, (_, index) => index + 1)
    : [only];
}

function readChosen(options: ReadonlyMap<string, number>, { kills }: Plan): Partial<Plan> {
  const [rate, users, seconds] = ['rate', 'users', 'seconds'].map((name) => options.get(name));
  return {
    ...(rate !== undefined && { requestsPerSecond: rate }),
    ...(users !== undefined && { users }),
    ...(seconds !== undefined && { outageMs: seconds * 1000, kills: Math.min(kills, seconds) }),
  };
}

/** The plan of a row. */
export function choosePlan(
  row: RowHead,
  { plan, chosen }: Pick<Arguments, 'plan' | 'chosen'>,
): Plan {
  return { ...plan, ...row.plan, ...chosen };
}
