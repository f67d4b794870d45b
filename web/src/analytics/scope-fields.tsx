import { useApplication } from '../api/application.ts';
import { useBuilderFacts } from '../conditions/builder-context.ts';
import type { Filters } from '../ui/filters.ts';
import type { Period, Range } from '../ui/calendar-range.ts';
import { Select } from '../ui/select.tsx';
import { RangeFields } from './range-fields.tsx';
import { Clause } from './sentence.tsx';

const ZONES = Intl.supportedValuesOf('timeZone');
const shown = (zone: string): string => zone.replaceAll('_', ' ');

/** The time zone of an address, or that of the application; null until it is read. */
export function useZone(filters: Filters<'zone'>): {
  readonly timeZone: string | null;
  readonly standard: string | null;
} {
  const { data } = useApplication();
  const standard = data === undefined ? null : (data.settings.timeZone ?? 'UTC');
  const named = filters.get('zone');
  return { timeZone: isZone(named) ? named : standard, standard };
}

/** Also names that the browser does not list, as the older or newer of two. */
function isZone(named: string): boolean {
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: named }).resolvedOptions();
    return named !== '' && timeZone !== '';
  } catch {
    return false;
  }
}

/** Whom a question is about: everyone, or the members of a segment. */
function SegmentPart({ filters }: { readonly filters: Filters<'segment'> }) {
  const { segments } = useBuilderFacts();
  return (
    <Select
      label="Of whom"
      pointer="/segment"
      {...filters.field('segment')}
      options={[{ value: '', label: 'everyone' }, ...segments]}
    />
  );
}

/** In which zone days, weeks and months begin. */
function ZonePart({
  filters,
  standard,
}: {
  readonly filters: Filters<'zone'>;
  readonly standard: string;
}) {
  return (
    <Select
      label="Time zone"
      pointer="/timeZone"
      {...filters.field('zone')}
      options={[
        { value: '', label: shown(standard) },
        ...[...new Set(['UTC', ...ZONES])]
          .filter((zone) => zone !== standard)
          .map((zone) => ({ value: zone, label: shown(zone) })),
      ]}
    />
  );
}

/** When, in which zone, and about whom: the end of a question. */
export function ScopeClauses({
  word,
  filters,
  period,
  zone: { timeZone, standard },
  range,
}: {
  /** Before the range. */
  readonly word: string;
  readonly filters: Filters<'range' | 'from' | 'to' | 'zone' | 'segment'>;
  readonly period: Period;
  readonly zone: ReturnType<typeof useZone>;
  readonly range: Range | null;
}) {
  return (
    <>
      {timeZone !== null && standard !== null && (
        <>
          <Clause word={word}>
            <RangeFields {...{ filters, period, timeZone, range }} />
          </Clause>
          <Clause word="in">
            <ZonePart filters={filters} standard={standard} />
          </Clause>
        </>
      )}
      <Clause word="· of">
        <SegmentPart filters={filters} />
      </Clause>
    </>
  );
}
