/** A participant waiting at a gate; `what` names the step in the log of a failed run. */
export type Gate = { readonly who: string; readonly what: string; open(): void };

/**
 * Every participant stops before each externally visible step. The simulation opens one gate at a
 * time, so it controls the order, which is the same for the same seed.
 */
export interface Gates {
  /** Resolves when the gate opens; never if the participant was killed. */
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
