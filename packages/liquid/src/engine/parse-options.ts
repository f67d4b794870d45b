export type ParseOptions = {
  /** A variable that stays as it is, for a later stage: `unsubscribeUrl`. */
  readonly kept?: string;
  /** It was accepted before: only what liquidjs itself cannot read is a fault. */
  readonly isAccepted?: boolean;
};
