import type { FunnelBreakdown, FunnelStep } from '@tidings/contracts/analytics/funnels';
import { useEventSlug } from '../../conditions/event-fields.tsx';
import { pathText } from '../../conditions/path-text.ts';
import { useSuggestions } from '../../conditions/use-suggestions.ts';
import { humanize } from '../../lib/format.ts';
import type { Option } from '../../ui/options.ts';
import { Select } from '../../ui/select.tsx';
import { breakdownName } from './words.ts';

const FIELDS = ['country', 'city', 'language'];

/** By which value of people, or of the event that began, numbers are told apart. */
export function BreakdownPart({
  breakdown,
  first,
  onChange,
}: {
  readonly breakdown: FunnelBreakdown | undefined;
  readonly first: FunnelStep | undefined;
  readonly onChange: (text: string) => void;
}) {
  const ofPeople = useSuggestions();
  const ofEvent = useSuggestions(useEventSlug(first?.event ?? ''));
  const fields = [...new Set([...FIELDS, ...(ofPeople?.fields ?? []).map(({ field }) => field)])];
  const offered: readonly Option[] = [
    ...fields.map((field) => ({ value: JSON.stringify({ field }), label: humanize(field) })),
    ...(ofPeople?.attributes ?? []).map(({ attribute }) => ({
      value: JSON.stringify({ attribute }),
      label: pathText(attribute),
      hint: 'of the person',
    })),
    ...(ofEvent?.attributes ?? []).map(({ attribute }) => ({
      value: JSON.stringify({ stepAttribute: attribute }),
      label: pathText(attribute),
      hint: 'of the first event',
    })),
  ];
  const value = breakdown === undefined ? '' : JSON.stringify(breakdown);
  const isOffered = value === '' || offered.some((option) => option.value === value);
  return (
    <Select
      label="By"
      pointer="/breakdown"
      value={value}
      options={[
        { value: '', label: 'nothing' },
        // A name may have values of several types.
        ...new Map(offered.map((option) => [option.value, option])).values(),
        ...(isOffered || breakdown === undefined
          ? []
          : [{ value, label: breakdownName(breakdown) }]),
      ]}
      onChange={onChange}
    />
  );
}
