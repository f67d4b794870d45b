import { PROFILE_FIELDS } from '@tidings/contracts/ingest/ingest';
import type { TrendBreakdown } from '@tidings/contracts/analytics/trends';
import { useSuggestions } from '../../conditions/use-suggestions.ts';
import { humanize } from '../../lib/format.ts';
import { pathText } from '../../conditions/path-text.ts';
import type { Option } from '../../ui/options.ts';
import { Select } from '../../ui/select.tsx';
import { breakdownName } from './trend-question.ts';

const option = (breakdown: TrendBreakdown, label: string, hint: string): Option => ({
  value: JSON.stringify(breakdown),
  label,
  hint,
});

/** By what the numbers are split: a value of the event, or of its person. */
export function BreakdownPart({
  breakdown,
  event,
  onChange,
}: {
  readonly breakdown: TrendBreakdown | undefined;
  /** Whose attributes are offered. */
  readonly event: string;
  readonly onChange: (value: string) => void;
}) {
  const ofEvent = useSuggestions(event);
  const ofPeople = useSuggestions();
  const options = [
    { value: '', label: 'nothing' },
    ...unique(ofEvent?.attributes).map((attribute) =>
      option({ attribute }, pathText(attribute), 'of the event'),
    ),
    ...PROFILE_FIELDS.map((field) => option({ field }, humanize(field), 'of the person')),
    ...unique(ofPeople?.attributes).map((userAttribute) =>
      option({ userAttribute }, pathText(userAttribute), 'of the person'),
    ),
  ];
  const value = breakdown === undefined ? '' : JSON.stringify(breakdown);
  return (
    <Select
      label="By"
      pointer="/breakdown"
      value={value}
      options={
        breakdown === undefined || options.some((each) => each.value === value)
          ? options
          : [...options, { value, label: breakdownName(breakdown) }]
      }
      onChange={onChange}
    />
  );
}

/** A name may have values of several types. */
const unique = <Path,>(attributes: readonly { readonly attribute: Path }[] | undefined) => [
  ...new Map(
    (attributes ?? []).map(({ attribute }) => [JSON.stringify(attribute), attribute]),
  ).values(),
];
