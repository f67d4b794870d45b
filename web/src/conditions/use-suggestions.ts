import { useRead } from '../api/queries.ts';
import type { Suggestions } from '../api/types.ts';
import { formatShare } from '../lib/format.ts';
import type { Option } from '../ui/options.ts';
import { pathText } from './path-text.ts';

type Suggested = Suggestions['attributes'][number];

/** Names and values that users have, or the newest events of a definition. They stay for the visit. */
export function useSuggestions(event?: string): Suggestions | undefined {
  return useRead<Suggestions>('suggestions', {
    ...(event !== undefined && { query: { event } }),
    enabled: event !== '',
    staleMs: Infinity,
  }).data;
}

/** What an option stands for: a name may have values of several types. */
export const keyOf = ({ attribute, type }: Suggested): string =>
  `${type} ${JSON.stringify(attribute)}`;

const TYPE_LABELS = { string: 'text', number: 'number', boolean: 'yes or no', array: 'list' };

/** Names of attributes, with their types and the share of those that have them. */
export const attributeOptions = (of: Suggestions | undefined): readonly Option[] =>
  (of?.attributes ?? []).map((each) => ({
    value: keyOf(each),
    label: pathText(each.attribute),
    hint: `${TYPE_LABELS[each.type]} · ${formatShare(each.count, of?.asked ?? 0)}`,
  }));

/** Values as texts, the most frequent first. */
export const valueOptions = (
  found: Pick<Suggested, 'values' | 'count'> | undefined,
): readonly Option[] =>
  (found?.values ?? []).map(({ value, count }) => ({
    value: String(value),
    label: String(value),
    hint: formatShare(count, found?.count ?? 0),
  }));
