import { isMet, withUnit, type Figure, type Goal } from '../report/figures.ts';
import { median } from '../report/median.ts';
import { alignTable } from '../report/table.ts';

/** Figures of one run here and of the next run in the other checkout. */
export type Pair = { readonly here: readonly Figure[]; readonly there: readonly Figure[] };

/** One figure of both checkouts over all pairs. */
export type Comparison = {
  readonly name: string;
  readonly unit: Figure['unit'];
  readonly here: number;
  /** Undefined if only this checkout has the figure. */
  readonly there: number | undefined;
  /** Here : there, of each pair; both runs of a pair had the same minutes. */
  readonly ratios: readonly number[];
  /** For the median of the ratios. */
  readonly goal: Goal | undefined;
  /** The goal of the figure itself. */
  readonly ownGoal: Goal | undefined;
};

/** The figures of this checkout; one from before lacks some, or names them otherwise. */
export function comparePairs(
  pairs: readonly Pair[],
  goals: Readonly<Record<string, Goal>> = {},
): Comparison[] {
  return (pairs[0]?.here ?? []).map(({ name, unit, goal: ownGoal }) => {
    // A run leaves out what it could not measure, such as CPU below the clock's tick.
    const values = pairs.flatMap(({ here, there }) => {
      const value = findValue(here, name);
      return value === undefined ? [] : { here: value, there: findValue(there, name) };
    });
    const both = values.flatMap(({ here, there }) => (there === undefined ? [] : { here, there }));
    return {
      name,
      unit,
      here: median(values.map(({ here }) => here)),
      there: both.length === 0 ? undefined : median(both.map(({ there }) => there)),
      ratios: both.map(({ here, there }) => here / there),
      goal: goals[name],
      ownGoal,
    };
  });
}

/** The goal of the ratio stands before that of the figure itself. */
export function renderComparison(
  title: string,
  comparisons: readonly Comparison[],
  { here: nameHere, there: nameThere } = { here: 'here', there: 'there' },
): string {
  const rows = comparisons.map(({ name, unit, here, there, ratios, goal, ownGoal }) => {
    const own = verdict({ name, value: here, unit, goal: ownGoal });
    if (there === undefined) return [name, withUnit(here, unit), '', '', '', own];
    const ratio = median(ratios);
    return [
      name,
      withUnit(here, unit),
      withUnit(there, unit),
      withUnit(ratio, 'ratio'),
      `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`,
      [verdict({ name, value: ratio, unit: 'ratio', goal }), own]
        .filter((text) => text !== '')
        .join('; '),
    ];
  });
  return `\n${title}\n${alignTable(['', nameHere, nameThere, 'ratio', 'spread', 'goal'], rows)}`;
}

function verdict(figure: Figure): string {
  const { goal, unit } = figure;
  if (goal === undefined) return '';
  const limit =
    'atMost' in goal ? `≤ ${withUnit(goal.atMost, unit)}` : `≥ ${withUnit(goal.atLeast, unit)}`;
  return `${limit} ${isMet(figure) === true ? 'yes' : 'NO'}`;
}

function findValue(figures: readonly Figure[], name: string): number | undefined {
  return figures.find((figure) => figure.name === name)?.value;
}
