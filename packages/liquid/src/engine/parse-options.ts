/**
 * Whose text it is. `push`: it names the user and the campaign; `run`: of an automation, also its run;
 * `event`: of one that an event begins, also this event.
 */
export type TextOf = 'push' | 'run' | 'event';

export type ParseOptions = {
  /** A variable that stays as it is, for a later stage: `unsubscribeUrl`. */
  readonly kept?: string;
  /** It was accepted before: only what liquidjs itself cannot read is a fault. */
  readonly isAccepted?: boolean;
  /** Default: `event`, which may name all. */
  readonly textOf?: TextOf;
};
