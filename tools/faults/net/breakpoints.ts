/**
 * An event between a service and its dependency, observed on the wire; the service is not modified.
 */
export type WireEvent = {
  readonly service: string;
  readonly of: 'postgres' | 'kafka' | 'provider';
  /**
   * `request`: before the other side receives it. `answer`: the other side has completed it, and
   * the service does not know yet.
   */
  readonly at: 'request' | 'answer';
  /** A statement, preceded by those of its transaction; otherwise a keyword. */
  readonly text: string;
};

/** A point of a protocol, identified by its wire event. */
export type Breakpoint = {
  readonly name: string;
  readonly of: WireEvent['of'];
  readonly at: WireEvent['at'];
  readonly pattern: RegExp;
};

export type Breakpoints = {
  /**
   * Calls `spring` at the nth matching event of the service, in the same tick; the event is not
   * forwarded.
   */
  set(
    service: string,
    trap: { readonly point: Breakpoint; readonly passages: number; spring(): void },
  ): void;
  clear(): void;
  /** True while the breakpoint of the service is pending. */
  isSet(service: string): boolean;
  /** Called by the proxies; false: do not forward the event. */
  pass(passage: WireEvent): boolean;
};

/** At most one breakpoint per service, over all its connections. */
export function createBreakpoints(): Breakpoints {
  const traps = new Map<string, { readonly point: Breakpoint; left: number; spring(): void }>();
  return {
    set: (service, { point, passages, spring }) =>
      void traps.set(service, { point, left: passages, spring }),
    clear: () => traps.clear(),
    isSet: (service) => traps.has(service),
    pass({ service, of, at, text }) {
      const trap = traps.get(service);
      if (
        trap === undefined ||
        trap.point.of !== of ||
        trap.point.at !== at ||
        !trap.point.pattern.test(text)
      )
        return true;
      trap.left -= 1;
      if (trap.left > 0) return true;
      traps.delete(service);
      trap.spring();
      return false;
    },
  };
}
