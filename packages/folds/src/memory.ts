const MIB = 1024 * 1024;

/** A question about more persons than fit into its memory. */
export class TooManyPersons extends Error {
  override name = 'TooManyPersons';
  constructor() {
    super('the persons of a question take more memory than it may use');
  }
}

/** The persons are those of a funnel in a condition, as of a segment, and not those of the question. */
export class TooManyPersonsOfCondition extends TooManyPersons {
  override name = 'TooManyPersonsOfCondition';
}

/** A breakdown by something with too many values. */
export class TooManyValues extends Error {
  override name = 'TooManyValues';
  constructor() {
    super('the values of a breakdown are too many');
  }
}

/** Counts the bytes that a question holds for its persons. */
export type Memory = {
  /** @throws TooManyPersons beyond the limit */
  take(bytes: number): void;
  give(bytes: number): void;
  readonly used: number;
};

export function createMemory(limitMiB: number): Memory {
  let used = 0;
  return {
    take(bytes) {
      used += bytes;
      if (used > limitMiB * MIB) throw new TooManyPersons();
    },
    give(bytes) {
      used -= bytes;
    },
    get used() {
      return used;
    },
  };
}
