/** The right of one record batch to work on its partition. */
export type Lease = {
  /**
   * Aborted when the work must end: the consumer stops, the group rebalances, or the broker is
   * unreachable.
   */
  readonly signal: AbortSignal;
  /** Whether the partition may belong to another member by now: then nothing may be committed. */
  isLost(): boolean;
};

/**
 * The leases of one group member. Ending a lease still allows commits of a stopping handler; losing
 * it does not.
 */
export class Leases {
  #generation = 0;
  #controller = new AbortController();

  current(): Lease {
    const generation = this.#generation;
    return { signal: this.#controller.signal, isLost: () => generation !== this.#generation };
  }

  /** Ends all leases; the next record batch gets a new one. */
  end(reason: string): void {
    this.#controller.abort(new Error(reason));
    this.#controller = new AbortController();
  }

  /** Ends all leases and revokes the right to commit. */
  lose(reason: string): void {
    this.#generation += 1;
    this.end(reason);
  }
}
