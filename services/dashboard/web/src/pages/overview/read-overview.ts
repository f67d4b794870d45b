export type OverviewFigure = { readonly label: string; readonly value: number; readonly unit: string };

/** What may be told, and as what. */
const KNOWN: readonly { readonly names: readonly string[]; readonly label: string; readonly unit: string }[] = [
  { names: ['requestsPerSecond', 'ingestPerSecond'], label: 'Requests', unit: '/s' },
  { names: ['messagesPerSecond', 'eventsPerSecond'], label: 'Messages in', unit: '/s' },
  { names: ['sentPerSecond', 'deliveriesPerSecond', 'sendsPerSecond'], label: 'Messages out', unit: '/s' },
  { names: ['ingestLag', 'lag', 'consumerLag'], label: 'Waiting to be read', unit: 'records' },
  { names: ['pendingDeliveries', 'pending', 'backlog'], label: 'Waiting to be sent', unit: 'deliveries' },
];

/** The numbers of an overview, wherever in it they stand; what is not told is left out. */
export function readOverview(answer: unknown): readonly OverviewFigure[] {
  const flat = new Map<string, unknown>();
  const visit = (value: unknown): void => {
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return;
    for (const [name, each] of Object.entries(value)) {
      if (!flat.has(name)) flat.set(name, each);
      visit(each);
    }
  };
  visit(answer);
  return KNOWN.flatMap(({ names, label, unit }) => {
    const value = names.map((name) => flat.get(name)).find((each) => typeof each === 'number');
    return typeof value === 'number' ? [{ label, value, unit }] : [];
  });
}
