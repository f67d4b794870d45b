/** `isBad`: drawn in the colour of failures. */
export type Series = {
  readonly name: string;
  readonly values: readonly (number | null)[];
  readonly isBad?: boolean;
};
/** What the time axis shows: when events happened, or when they arrived. */
export type TimeBasis = 'event time' | 'arrival';
export type ChartProps = {
  readonly label: string;
  readonly unit: string;
  /** Where each bucket begins, in milliseconds since the Unix epoch. */
  readonly times: readonly number[];
  readonly series: readonly Series[];
  /** Shown below the axis. */
  readonly basis: TimeBasis;
  /** IANA name. Default: the viewer's time zone. */
  readonly timeZone?: string;
};
