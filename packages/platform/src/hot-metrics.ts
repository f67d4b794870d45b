import { Counter, Gauge, type CounterConfiguration, type GaugeConfiguration } from 'prom-client';

/** A value of a metric, which its owner changes. */
export type Tally = { value: number };

/** Returns the tally of these labels, always the same object. */
export type Tallies<Label extends string> = (labels: Labels<Label>) => Tally;

type Labels<Label extends string> = Readonly<Record<Label, string | number>>;

/**
 * A counter for a hot path. Adding to a tally costs one addition, while `Counter.inc` checks and
 * hashes its labels each time. The counter is brought up to date when it is read.
 */
export function countTallies<Label extends string>(
  config: Omit<CounterConfiguration<Label>, 'collect'>,
): Tallies<Label> {
  const tallies = createTallies<Label>();
  new Counter({
    ...config,
    collect() {
      for (const known of tallies.all()) {
        const { labels, tally, read } = known;
        if (tally.value > read) this.inc(labels, tally.value - read);
        known.read = tally.value;
      }
    },
  });
  return tallies.of;
}

/** A gauge for a hot path, like `countTallies`. */
export function gaugeTallies<Label extends string>(
  config: Omit<GaugeConfiguration<Label>, 'collect'>,
): Tallies<Label> {
  const tallies = createTallies<Label>();
  new Gauge({
    ...config,
    collect() {
      for (const { labels, tally } of tallies.all()) this.set(labels, tally.value);
    },
  });
  return tallies.of;
}

type Known<Label extends string> = {
  readonly labels: Labels<Label>;
  readonly tally: Tally;
  /** The value when the counter was last read. */
  read: number;
};

function createTallies<Label extends string>() {
  const known = new Map<string, Known<Label>>();
  return {
    all: () => known.values(),
    of(labels: Labels<Label>): Tally {
      const name = JSON.stringify(labels);
      let found = known.get(name);
      if (found === undefined) known.set(name, (found = { labels, tally: { value: 0 }, read: 0 }));
      return found.tally;
    },
  };
}
