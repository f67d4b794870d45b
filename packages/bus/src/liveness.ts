/** Tells by progress, not by events, whether a consumer still works: an event that never comes tells nothing. */
export interface Liveness {
  /** The client fetched, joined, was heard by its group, or is trying again to reach a broker that is away. */
  client(): void;
  /** A handler of this partition started or reported (`true`), or ended (`false`). */
  handler(id: string, isHandling: boolean): void;
  /** The client has ended for good and will not come back by itself. */
  crash(): void;
  /** The consumer is stopped on purpose: from here silence is no fault. */
  stop(): void;
  isAlive(): boolean;
}

/** @param bounds how long the client (`silenceMs`) and a running handler (`stallMs`) may go without progress */
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
