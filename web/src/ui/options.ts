import { humanize } from '../lib/format.ts';
import type { Option } from './field.tsx';

/** The values of a closed list as options, with one for all of them before. */
export function optionsOf(values: readonly string[], any?: string): readonly Option[] {
  const options = values.map((value) => ({ value, label: humanize(value) }));
  return any === undefined ? options : [{ value: '', label: any }, ...options];
}
