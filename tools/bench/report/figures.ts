import { alignTable } from './table.ts';

/** A limit for a figure. */
export type Goal = { readonly atMost: number } | { readonly atLeast: number };

/** A measured number with its unit; without `goal` it is informational. */
export type Figure = {
  readonly name: string;
  readonly value: number;
  readonly unit: Unit;
  readonly goal?: Goal | undefined;
  readonly note?: string;
};

const UNITS = {
  ms: { text: 'ms', digits: 1 },
  microseconds: { text: 'µs', digits: 1 },
  ratio: { text: '×', digits: 2 },
  percent: { text: '%', digits: 1 },
  perSecond: { text: '/s', digits: 0 },
  count: { text: '', digits: 0 },
  bytes: { text: 'B', digits: 0 },
  mebibytes: { text: 'MiB', digits: 0 },
  seconds: { text: 's', digits: 1 },
} as const;
export type Unit = keyof typeof UNITS;

/** The result of one part: figures to print, and the raw data. */
export type PartReport = {
  readonly title: string;
  readonly figures: readonly Figure[];
  readonly data: unknown;
};

export function isMet({ value, goal }: Figure): boolean | undefined {
  if (goal === undefined) return undefined;
  return 'atMost' in goal ? value <= goal.atMost : value >= goal.atLeast;
}

/** The figures of a part as a table, each with its goal. */
export function renderPart({ title, figures }: PartReport): string {
  const rows = figures.map((figure) => [
    figure.name,
    withUnit(figure.value, figure.unit),
    goalText(figure),
    verdictText(figure),
    figure.note ?? '',
  ]);
  return `\n${title}\n${alignTable(['', 'measured', 'goal', 'met', 'note'], rows)}`;
}

export function withUnit(value: number, unit: Unit): string {
  const { text, digits } = UNITS[unit];
  return `${value.toFixed(digits)} ${text}`.trimEnd();
}

function goalText({ goal, unit }: Figure): string {
  if (goal === undefined) return '';
  return 'atMost' in goal
    ? `≤ ${withUnit(goal.atMost, unit)}`
    : `≥ ${withUnit(goal.atLeast, unit)}`;
}

function verdictText(figure: Figure): string {
  const met = isMet(figure);
  if (met === undefined) return '';
  return met ? 'yes' : 'NO';
}

const MEBIBYTE = 1024 * 1024;
export const mebibytes = (bytes: number): number => bytes / MEBIBYTE;
