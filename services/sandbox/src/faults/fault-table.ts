import type { Channel } from '@tidings/contracts/channels/channels';
import { Counter, type Ids } from '@tidings/platform';
import type { Fault, FaultKind, FaultRequest } from './fault.ts';

const faultsStruck = new Counter({
  name: 'sandbox_faults_struck_total',
  help: 'Worker requests affected by a fault of a stand-in provider.',
  labelNames: ['channel', 'kind'],
});

/** Active faults. In memory only; a restarted sandbox has none. */
export class FaultTable {
  readonly #ids: Ids;
  readonly #random: () => number;
  #faults: readonly Fault[] = [];

  constructor(ids: Ids, random: () => number = Math.random) {
    this.#ids = ids;
    this.#random = random;
  }

  add(request: FaultRequest): Fault {
    const fault: Fault = { ...request, id: this.#ids.uuid(), struck: 0 };
    this.#faults = [...this.#faults, fault];
    return fault;
  }

  list(): readonly Fault[] {
    return this.#faults;
  }

  clear(): void {
    this.#faults = [];
  }

  /** Draws at random for each fault of this kind, oldest first; returns the first that applies. */
  strike<K extends FaultKind>(
    channel: Channel,
    kind: K,
  ): Extract<Fault, { readonly kind: K }> | undefined {
    for (const fault of this.#faults) {
      if (fault.channel !== channel || !isOfKind(fault, kind) || this.#random() >= fault.rate)
        continue;
      this.#faults = this.#faults.map((one) =>
        one === fault ? { ...one, struck: one.struck + 1 } : one,
      );
      faultsStruck.inc({ channel, kind });
      return fault;
    }
    return undefined;
  }
}

function isOfKind<K extends FaultKind>(
  fault: Fault,
  kind: K,
): fault is Extract<Fault, { readonly kind: K }> {
  return fault.kind === kind;
}
