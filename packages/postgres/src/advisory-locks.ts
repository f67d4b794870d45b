/** Advisory locks with fixed numbers. No other code has numbers of its own. */
export const ADVISORY_LOCKS = {
  retention: 7_463_846_472,
  visits: 7_463_846_473,
  recount: 7_463_846_474,
  rotation: 7_463_846_475,
  coordination: 7_463_846_476,
  slowSnapshots: 7_463_846_477,
  firstOwner: 7_463_846_478,
  signIns: 7_463_846_479,
} as const;
export type AdvisoryLock = keyof typeof ADVISORY_LOCKS;
