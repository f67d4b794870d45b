/** Somebody who waits to go on; `what` says with what, for whoever reads a failed run. */
export type Gate = { readonly who: string; readonly what: string; open(): void };

/**
 * Where everybody stops before each thing that can be seen from outside. One gate is opened at a time, so the order of
 * everything is the simulation's to choose, and the same for the same seed.
 */
export interface Gates {
  /** Resolves when the gate is opened; never, when the one who waits has died. */
  pass(who: string, what: string): Promise<void>;
  waiting(): readonly Gate[];
  /** Who dies is never heard of again. */
  kill(who: string): void;
}

export function createGates(): Gates {
  const gates = new Set<Gate>();
  const dead = new Set<string>();
  return {
    pass: (who, what) =>
      new Promise((resolve) => {
        if (dead.has(who)) return;
        const gate: Gate = {
          who,
          what,
          open: () => {
            gates.delete(gate);
            resolve();
          },
        };
        gates.add(gate);
      }),
    waiting: () => [...gates],
    kill(who) {
      dead.add(who);
      for (const gate of gates) if (gate.who === who) gates.delete(gate);
    },
  };
}
