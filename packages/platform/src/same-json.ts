/** Whether two values are the same JSON. The order of keys does not count: jsonb does not keep it. */
export const isSameJson = (one: unknown, other: unknown): boolean =>
  canonical(one) === canonical(other);

function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  );
}
