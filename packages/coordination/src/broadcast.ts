/**
 * Notices to all processes, such as "the keys of this application changed". Delivered at most once,
 * and never within the publisher's turn of the event loop. Subscribers also poll.
 */
export interface Broadcast<T> {
  /** Rejects if the notice cannot be sent. */
  publish(notice: T): Promise<void>;
  /**
   * Calls `onNotice` with each notice, also of this process; with null if notices may have been
   * missed. The returned function ends the subscription.
   */
  subscribe(onNotice: (notice: T | null) => void): () => void;
}
