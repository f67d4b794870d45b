import { parseArgs } from 'node:util';
import type { RowsName } from './rows/row-counts.ts';

export type Options = {
  /** The bench and its parts. */ readonly positionals: readonly string[];
  readonly isQuick: boolean;
  readonly rows: RowsName;
  readonly against?: string;
  readonly pairs: number;
  readonly minutes: number;
  readonly share: number;
  readonly deliveries?: number;
  readonly events?: number;
  readonly users?: number;
};

const ROWS: readonly RowsName[] = ['full', 'small', 'none'];

/** Undefined if an argument is unknown or not in its range. */
export function readOptions(args: readonly string[]): Options | undefined {
  const parsed = parse(args);
  if (parsed === undefined) return undefined;
  const { values, positionals } = parsed;
  const { quick: isQuick, empty: isEmpty, against } = values;
  const standard = isQuick ? 'small' : 'full';
  const rows = ROWS.find((one) => one === (isEmpty ? 'none' : (values.rows ?? standard)));
  const [minutes, share, pairs] = [values.minutes, values.share, values.pairs].map(Number) as [
    number,
    number,
    number,
  ];
  const [deliveries, events, users] = [values.deliveries, values.events, values.users].map((text) =>
    text === undefined ? undefined : Number(text),
  );
  const counts = [pairs, deliveries, events, users].filter((count) => count !== undefined);
  const areCounts = counts.every((count) => Number.isSafeInteger(count) && count > 0);
  if (rows === undefined || !areCounts || !(minutes > 0 && share > 0)) return undefined;
  return {
    positionals,
    isQuick,
    rows,
    pairs,
    minutes,
    share,
    ...(against !== undefined && { against }),
    ...(deliveries !== undefined && { deliveries }),
    ...(events !== undefined && { events }),
    ...(users !== undefined && { users }),
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        quick: { type: 'boolean', default: false },
        empty: { type: 'boolean', default: false },
        rows: { type: 'string' },
        against: { type: 'string' },
        pairs: { type: 'string', default: '3' },
        minutes: { type: 'string', default: '30' },
        share: { type: 'string', default: '0.3' },
        deliveries: { type: 'string' },
        events: { type: 'string' },
        users: { type: 'string' },
      },
    });
  } catch {
    return undefined; // An unknown option.
  }
}
