import type { Condition } from '@tidings/contracts/segments/conditions';
import type { Suggestions } from '../api/types.ts';

/** Fields whose values are instants. */
const DATE_FIELDS: readonly string[] = ['birthday', 'registeredAt'];

export const isDateField = (field: string): boolean => DATE_FIELDS.includes(field);

/** The condition that a profile field begins with. */
export function fieldCondition(field: string, suggested?: Suggestions): Condition {
  const [value] = suggested?.fields.find((each) => each.field === field)?.values ?? [];
  return {
    field,
    ...(isDateField(field) ? { before: { ago: '30d' } } : { is: value?.value ?? '' }),
  } as Condition;
}
