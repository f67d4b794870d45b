import { defaultOperators, filters, Liquid } from 'liquidjs';
import { countedFilter, countedOperator } from './counted.ts';
import { TEXT_LIMITS } from './limits.ts';
import { OWN_FILTERS } from './own-filters.ts';

/** No tag reads a file, writes HTML of its own, or changes the data. */
const TAGS = [
  'assign',
  'capture',
  'case',
  'comment',
  'cycle',
  'for',
  'if',
  'raw',
  'unless',
  'break',
  'continue',
  '#',
];

/**
 * Filters that are pure: equal data gives equal text, and each charges what it makes to the memory
 * limit. Left out: `raw` (values are always escaped), filters that write HTML, random ones, and
 * those that evaluate expressions.
 */
const FILTERS = [
  'append',
  'capitalize',
  'compact',
  'concat',
  'default',
  'downcase',
  'join',
  'lstrip',
  'map',
  'prepend',
  'remove',
  'remove_first',
  'replace',
  'replace_first',
  'reverse',
  'rstrip',
  'slice',
  'sort',
  'sort_natural',
  'split',
  'strip',
  'strip_newlines',
  'truncate',
  'truncatewords',
  'uniq',
  'upcase',
  'where',
] as const;

/** Authors write these out of habit. The place of a value decides how it is escaped. */
const IGNORED_FILTERS = ['escape', 'escape_once'];

type Operators = typeof defaultOperators;

export const engine: Liquid = createEngine();

function createEngine(): Liquid {
  const liquid = new Liquid({
    // In memory, and empty: there is no file to include.
    templates: {},
    strictFilters: true,
    strictVariables: true,
    lenientIf: true,
    ownPropertyOnly: true,
    memoryLimit: TEXT_LIMITS.memoryMax,
    // Dates are in UTC unless the filter names a zone; the zone of the process has no effect.
    timezoneOffset: 0,
    locale: 'en-GB',
    operators: countedOperators(),
  });
  for (const tag of Object.keys(liquid.tags)) if (!TAGS.includes(tag)) delete liquid.tags[tag];
  for (const filter of Object.keys(liquid.filters)) liquid.unregisterFilter(filter);
  for (const name of FILTERS) {
    const filter = filters[name];
    if (typeof filter !== 'function') throw new Error(`liquidjs has no filter ${name}`);
    liquid.registerFilter(name, countedFilter(name, filter));
  }
  for (const [name, filter] of Object.entries(OWN_FILTERS))
    liquid.registerFilter(name, countedFilter(name, filter));
  for (const name of IGNORED_FILTERS) liquid.registerFilter(name, (value: unknown) => value);
  return liquid;
}

function countedOperators(): Operators {
  return Object.fromEntries(
    Object.entries(defaultOperators).map(([name, operator]) => [
      name,
      countedOperator(name, operator as (...values: unknown[]) => unknown),
    ]),
  ) as Operators;
}
