import type { Condition } from '@tidings/contracts/segments/conditions';

/** True of each registered user. */
export const EVERYONE: Condition = { field: 'registeredAt', after: 0 };

export const isEveryone = (condition: Condition): boolean =>
  JSON.stringify(condition) === JSON.stringify(EVERYONE);
