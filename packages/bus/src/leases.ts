/** The right to work on partitions, as one batch holds it. */
export type Lease = {
  /** Aborted when the work should end: the consumer stops, the group rebalances, the broker is out of reach. */
  readonly signal: AbortSignal;
  /** Whether the partition may be another member's by now: nothing may be committed any more. */
  isLost(): boolean;
};

/** The leases of one member of a group. Ending and losing differ: what a stopping handler finishes is still committed. */
export class Leases {
  #generation = 0;
  #controller = new AbortController();

  current(): Lease {
    const generation = this.#generation;
    return { signal: this.#controller.signal, isLost: () => generation !== this.#generation };
  }

  /** Asks all holders to end; the next batch gets a fresh lease. */
  end(reason: string): void {
    this.#controller.abort(new Error(reason));
    this.#controller = new AbortController();
  }

  /** Ends all leases and takes the right to commit from their holders. */
  lose(reason: string): void {
    this.#generation += 1;
    this.end(reason);
  }
}
