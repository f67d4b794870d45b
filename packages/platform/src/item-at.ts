/**
 * The item at an index that the caller knows to exist. Not for hot paths, which read the array directly.
 * @throws Error if there is no such item
 */
export function itemAt<T>(items: readonly T[], index: number): T {
  const item = items[index];
  if (item === undefined) throw new Error(`no item ${index} in a list of ${items.length}`);
  return item;
}
