import type { Channel } from '@tidings/contracts/channels/channels';
import { isReported } from '@tidings/contracts/push/campaign-result';
import {
  WINNER_MEASURES,
  type PushWinner,
  type WinnerMeasure,
} from '@tidings/contracts/push/push-winner';

/** How the better template is found, as the form has it. */
export type WinnerChoice = Pick<PushWinner, 'by' | 'after'> & {
  /** A number as text. */
  readonly percent: string;
};

export const measuresOf = (channel: Channel): readonly WinnerMeasure[] =>
  WINNER_MEASURES.filter((measure) => isReported(channel, measure));

/** The choice that a person begins with; null: the channel reports nothing to decide by. */
export function newWinner(channel: Channel): WinnerChoice | null {
  const by = measuresOf(channel).at(-1);
  return by === undefined ? null : { percent: '20', by, after: '4h' };
}

type Chosen = {
  readonly channel: Channel;
  readonly winner: WinnerChoice | null;
};

/** As a push has it. Another channel may report less. */
export function buildWinner({ channel, winner }: Chosen): { readonly winner?: PushWinner } {
  const [first] = measuresOf(channel);
  if (winner === null || first === undefined) return {};
  const by = measuresOf(channel).includes(winner.by) ? winner.by : first;
  return { winner: { ...winner, by, percent: Number(winner.percent) } };
}

/** What another program has stored may be of any kind: it counts as missing. */
export function readWinner(stored: unknown): WinnerChoice | null {
  if (typeof stored !== 'object' || stored === null) return null;
  const { percent, by, after } = stored as Readonly<Record<string, unknown>>;
  return {
    percent: typeof percent === 'number' ? String(percent) : '',
    by: WINNER_MEASURES.find((measure) => measure === by) ?? 'clicked',
    after: typeof after === 'string' ? after : '4h',
  };
}

const UNITS: Readonly<Record<string, readonly [string, string]>> = {
  m: ['minute', 'minutes'],
  h: ['hour', 'hours'],
  d: ['day', 'days'],
};

/** `4 hours`. */
export function describeAfter(after: string): string {
  const count = after.slice(0, -1);
  const [one, many] = UNITS[after.slice(-1)] ?? ['', after];
  return `${count} ${count === '1' ? one : many}`;
}
