/** Values by key, each set in insertion order. */
export class SubscriptionIndex<T> {
  readonly #sets = new Map<string, Set<T>>();

  get(key: string): ReadonlySet<T> {
    return this.#sets.get(key) ?? new Set();
  }

  largest(): ReadonlySet<T> {
    let largest: ReadonlySet<T> = new Set();
    for (const set of this.#sets.values()) if (set.size > largest.size) largest = set;
    return largest;
  }

  add(key: string, value: T): void {
    const set = this.#sets.get(key);
    if (set === undefined) this.#sets.set(key, new Set([value]));
    else set.add(value);
  }

  delete(key: string, value: T): void {
    const set = this.#sets.get(key);
    set?.delete(value);
    if (set?.size === 0) this.#sets.delete(key);
  }
}
