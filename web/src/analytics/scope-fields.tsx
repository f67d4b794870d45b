import { useApplication } from '../api/application.ts';
import { useBuilderFacts } from '../conditions/builder-context.ts';
import type { Filters } from '../ui/filters.ts';
import { Select } from '../ui/select.tsx';

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
export function SegmentPart({ filters }: { readonly filters: Filters<'segment'> }) {
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
export function ZonePart({
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
