/** Colours of series, by the order in which they are given. */
export const TONES = [1, 2, 3, 4, 5, 6] as const;
export type Tone = (typeof TONES)[number];

/** `isBad`: drawn in the colour of failures. */
export type Series = {
  readonly name: string;
  readonly values: readonly (number | null)[];
  readonly isBad?: boolean;
  /** Its own colour; without one that of a single series. */
  readonly tone?: Tone;
  /** The values of the period before, in the same places: dotted. */
  readonly before?: readonly (number | null)[] | undefined;
  /** How a value is written. Default: as a number. */
  readonly write?: (value: number) => string;
};
/** What the time axis shows: when events happened, or when they arrived. */
export type TimeBasis = 'event time' | 'arrival';
export type ChartProps = {
  readonly label: string;
  /** Behind the name of each series; empty if the name says it. */
  readonly unit: string;
  /** Where each bucket begins, in milliseconds since the Unix epoch. */
  readonly times: readonly number[];
  readonly series: readonly Series[];
  /** Shown below the axis. */
  readonly basis: TimeBasis;
  /** IANA name. Default: the viewer's time zone. */
  readonly timeZone?: string;
  /** What a bucket is. Default: an hour or a day, by the distance of the last two. */
  readonly step?: 'hour' | 'day' | 'week' | 'month' | undefined;
  /** Whether the last bucket still runs. Default: by the clock. */
  readonly isOpen?: boolean;
  readonly heightPx?: number;
  /** What the period before is called: `30 days before`. */
  readonly beforeName?: string | undefined;
  /** Shows whom the value of a series in a bucket counts. */
  readonly onOpen?: ((index: number, series: number) => void) | undefined;
};
