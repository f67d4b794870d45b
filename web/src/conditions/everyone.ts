import type { Condition } from '@tidings/contracts/segments/conditions';

/** True of each registered user. */
export const EVERYONE = { field: 'registeredAt', after: 0 } as const satisfies Condition;

/** Whether it is that condition. The service may answer its keys in another order. */
export const isEveryone = (condition: Condition): boolean =>
  'field' in condition &&
  condition.field === EVERYONE.field &&
  condition.after === EVERYONE.after &&
  Object.keys(condition).length === Object.keys(EVERYONE).length;
