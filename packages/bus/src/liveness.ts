/** Judges a consumer by its progress, not by events: an event that never arrives proves nothing. */
export interface Liveness {
  /** The client fetched, joined, sent a heartbeat, or retries an unavailable broker. */
  client(): void;
  /** A handler of this partition started or made progress (`true`), or ended (`false`). */
  handler(id: string, isHandling: boolean): void;
  /** The client stopped and will not recover. */
  crash(): void;
  /** The consumer is stopped deliberately; silence is no fault from now on. */
  stop(): void;
  isAlive(): boolean;
}

/**
 * @param bounds maximum time without progress of the client (`silenceMs`) and of a running handler
 * (`stallMs`)
 */
export function createLiveness(
  bounds: { readonly silenceMs: number; readonly stallMs: number },
  now: () => number = () => performance.now(),
): Liveness {
  const handlersAt = new Map<string, number>();
  let clientAt = now();
  let state: 'running' | 'crashed' | 'stopped' = 'running';
  return {
    client() {
      clientAt = now();
    },
    handler(id, isHandling) {
      if (isHandling) handlersAt.set(id, now());
      else handlersAt.delete(id);
    },
    crash() {
      if (state === 'running') state = 'crashed';
    },
    stop() {
      state = 'stopped';
    },
    isAlive() {
      if (state !== 'running') return state === 'stopped';
      const at = now();
      return (
        at - clientAt <= bounds.silenceMs &&
        [...handlersAt.values()].every((handlerAt) => at - handlerAt <= bounds.stallMs)
      );
    },
  };
}
