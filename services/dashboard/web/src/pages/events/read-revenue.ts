export type RevenueRow = { readonly currency: string; readonly sum: number; readonly count: number | null };

/** Sums by currency, of points of time too. */
export function readRevenue(answer: unknown): readonly RevenueRow[] {
  const holder = (answer ?? {}) as Readonly<Record<string, unknown>>;
  const list = [holder['currencies'], answer, holder['items']].find(Array.isArray) ?? [];
  const sums = new Map<string, { sum: number; count: number | null }>();
  for (const item of list as readonly Readonly<Record<string, unknown>>[]) {
    const { currency } = item;
    const amount = Number(item['revenue'] ?? item['sum']);
    if (typeof currency !== 'string' || Number.isNaN(amount)) continue;
    const before = sums.get(currency) ?? { sum: 0, count: null };
    const count = typeof item['events'] === 'number' ? (before.count ?? 0) + item['events'] : before.count;
    sums.set(currency, { sum: before.sum + amount, count });
  }
  return [...sums].map(([currency, row]) => ({ currency, ...row })).toSorted((a, b) => a.currency.localeCompare(b.currency));
}
