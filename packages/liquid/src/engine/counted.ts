import type { Context } from 'liquidjs';
import { stepsOf } from './step-limit.ts';

type Handler = (this: { readonly context: Context }, ...values: unknown[]) => unknown;
type Operator = (...values: unknown[]) => unknown;

/** Filters that look for their first argument in the value. */
const SEARCHES = new Set(['remove', 'remove_first', 'replace', 'replace_first', 'split']);

/** A filter is a step, and a search is charged by what it compares. */
export function countedFilter(name: string, filter: Operator): Handler {
  const isSearch = SEARCHES.has(name);
  return function (...values) {
    const steps = stepsOf(this.context);
    steps.step();
    if (isSearch) steps.search(charsOf(values[0]), charsOf(values[1]));
    return Reflect.apply(filter, this, values);
  };
}

/** An operator of a condition, as a filter: one condition may have dozens. */
export function countedOperator(name: string, operator: Operator): Operator {
  return (...values) => {
    const steps = stepsOf(values.at(-1) as Context);
    steps.step();
    if (name === 'contains' && typeof values[0] === 'string')
      steps.search(values[0].length, charsOf(values[1]));
    return operator(...values);
  };
}

/** The length of a value as text; about, where it is no text. */
function charsOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (!Array.isArray(value)) return 1;
  let chars = 0;
  for (const item of value) chars += charsOf(item);
  return chars;
}
