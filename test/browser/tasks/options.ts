import { parseArgs } from 'node:util';
import type { DataSizes } from './data/loaded.ts';

export type Options = {
  readonly sizes: DataSizes;
  /** Names of tasks begin with one of these; empty: all tasks. */
  readonly wanted: readonly string[];
};

export const USAGE = `Usage: npm run tasks -- [--users N] [--events N] [--campaigns N] [task …]
  --users, --events, --campaigns   the data; by default 50,000 users, 500,000 events, 200 campaigns;
                                   at least 100 users, and as many events as users
  task                             the number of a task; by default all`;

/** Fewer lack a kind of person that a task looks for. */
const USERS_MIN = 100;

/** Parses the command line; null if invalid. */
export function readOptions(words: readonly string[]): Options | null {
  try {
    const number = (standard: string) => ({ type: 'string', default: standard }) as const;
    const { values, positionals } = parseArgs({
      args: [...words],
      allowPositionals: true,
      options: {
        users: number('50000'),
        events: number('500000'),
        campaigns: number('200'),
      },
    });
    const sizes = {
      users: Number(values.users),
      events: Number(values.events),
      campaigns: Number(values.campaigns),
    };
    const areCounts = Object.values(sizes).every((size) => Number.isInteger(size) && size >= 0);
    // Each person has an event at least: who bought has bought.
    const areEnough = sizes.users >= USERS_MIN && sizes.events >= sizes.users;
    return areCounts && areEnough ? { sizes, wanted: positionals } : null;
  } catch {
    return null; // Unknown option.
  }
}
