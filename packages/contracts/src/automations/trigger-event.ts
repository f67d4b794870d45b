/** The event that began a run, as its messages show it. Integers beyond 2^53 are bigints. */
export type TriggerEvent = {
  /** Of its definition. */
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly revenue: number | null;
  readonly currency: string | null;
};
