import { humanize } from '../lib/format.ts';
import { isolate } from '../lib/text.ts';

export type Option = {
  readonly value: string;
  readonly label: string;
  /** Stands at the end of its line. */
  readonly hint?: string;
  /** Stands on the button until another is chosen, and not in the list. */
  readonly isPrompt?: true;
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

type Named = { readonly slug: string; readonly name: string };

/**
 * Options by name. Equal names say what tells them apart: what `markOf` says where each of them has
 * another, as a state, and their slugs otherwise.
 */
export function toNamedOptions<T extends Named>(
  items: readonly T[],
  markOf: (item: T) => string = ({ slug }) => slug,
): readonly Option[] {
  const byName = Map.groupBy(items, ({ name }) => name.trim());
  return items.map((item) => {
    const { slug, name } = item;
    const alike = byName.get(name.trim()) ?? [];
    const label = isolate(name);
    if (alike.length < 2) return { value: slug, label };
    const isTold = new Set(alike.map(markOf)).size === alike.length;
    return { value: slug, label: `${label} (${isTold ? markOf(item) : slug})` };
  });
}
