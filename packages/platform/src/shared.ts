/** One use of a shared value. */
export type Use<T> = {
  readonly value: T;
  /** Ends this use; the last one closes the value. A second call does nothing. */
  release(): Promise<void>;
};

/**
 * What the services of one process share, such as connection pools. Each value is opened by its
 * first user and closed by its last.
 */
export interface Shared {
  /**
   * Names what a user shares with others. Users of one name may share a connection pool, which has
   * this name.
   */
  nameOf(user: string): string;
  /** @param key names the kind of value and all that distinguishes two values of it */
  use<T>(key: string, value: { open(): T; close(value: T): Promise<void> | void }): Use<T>;
}

/** @param nameOf absent: each user has its own name, so that no two share connections */
export function createShared(nameOf: Shared['nameOf'] = (user) => user): Shared {
  const entries = new Map<string, { readonly value: unknown; users: number }>();
  return {
    nameOf,
    use<T>(key: string, { open, close }: { open(): T; close(value: T): Promise<void> | void }) {
      const entry = entries.get(key) ?? { value: open(), users: 0 };
      entries.set(key, entry);
      entry.users += 1;
      const value = entry.value as T;
      let isReleased = false;
      return {
        value,
        async release() {
          if (isReleased) return;
          isReleased = true;
          entry.users -= 1;
          if (entry.users > 0) return;
          entries.delete(key);
          await close(value);
        },
      };
    },
  };
}
