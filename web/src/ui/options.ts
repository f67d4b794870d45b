import { humanize } from '../lib/format.ts';

export type Option = {
  readonly value: string;
  readonly label: string;
  /** Stands at the end of its line. */
  readonly hint?: string;
};

/** Options of a select. `any` is the label of a first option that matches all values. */
export function toOptions<Value extends string>(
  values: readonly Value[],
  any?: string,
  toLabel: (value: Value) => string = humanize,
): readonly Option[] {
  const options = values.map((value) => ({ value, label: toLabel(value) }));
  return any === undefined ? options : [{ value: '', label: any }, ...options];
}
