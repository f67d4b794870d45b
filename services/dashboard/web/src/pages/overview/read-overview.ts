export type OverviewFigure = { readonly label: string; readonly value: number; readonly unit: string };

/** What the figures are made of; the service tells more. */
export type Overview = {
  readonly ingest: {
    /** The present minute last, which is not over. */
    readonly perMinute: readonly { readonly messages: number; readonly refused: number }[];
    readonly lag: Readonly<Record<string, number>> | null;
  };
  readonly backlog: { readonly campaigns: number; readonly deliveries: number };
};

/** How much comes in and how much waits, each with its unit; a lag that Kafka does not tell is left out. */
export function figuresOf({ ingest, backlog }: Overview): readonly OverviewFigure[] {
  const last = ingest.perMinute.at(-2) ?? ingest.perMinute.at(-1);
  return [
    { label: 'Messages in', value: last?.messages ?? 0, unit: '/min' },
    ...(ingest.lag === null ? [] : [{ label: 'Waiting to be read', value: Math.max(0, ...Object.values(ingest.lag)), unit: 'records' }]),
    { label: 'Waiting to be sent', value: backlog.deliveries, unit: 'deliveries' },
  ];
}
