/** What passes between a service and what it works with: seen on the wire, so that no service knows of it. */
export type WireEvent = {
  readonly service: string;
  readonly of: 'postgres' | 'kafka' | 'provider';
  /** `request`: before the other side has it. `answer`: the other side has done it, and the service does not know yet. */
  readonly at: 'request' | 'answer';
  /** A statement, those of its transaction before it; what else it is, in a word. */
  readonly text: string;
};

/** A point of a protocol, by what passes there. */
export type Breakpoint = {
  readonly name: string;
  readonly of: WireEvent['of'];
  readonly at: WireEvent['at'];
  readonly pattern: RegExp;
};

export type Breakpoints = {
  /** Has `spring` called at the so-manieth passage of the point by the service, in the same tick; what passes there never arrives. */
  set(
    service: string,
    trap: { readonly point: Breakpoint; readonly passages: number; spring(): void },
  ): void;
  clear(): void;
  /** Whether the service's trap waits still. */
  isSet(service: string): boolean;
  /** Told by the proxies. False: it must not go on. */
  pass(passage: WireEvent): boolean;
};

/** One trap for each service, across all its connections. */
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
