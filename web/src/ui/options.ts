import { humanize } from '../lib/format.ts';
import type { Option } from './field.tsx';

/** The values of a closed list as options, with one for all of them before. */
export function toOptions<Value extends string>(
  values: readonly Value[],
  any?: string,
  nameOf: (value: Value) => string = humanize,
): readonly Option[] {
  const options = values.map((value) => ({ value, label: nameOf(value) }));
  return any === undefined ? options : [{ value: '', label: any }, ...options];
}
