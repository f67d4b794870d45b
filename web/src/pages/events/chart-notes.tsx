import type { EventChart } from '../../api/types.ts';
import { counted } from '../../lib/format.ts';
import { Time } from '../../ui/time.tsx';

type NotesProps = Pick<EventChart, 'outside' | 'byArrival'> & Parameters<typeof StillCounting>[0];

/** What a chart does not show, does not show yet, or shows at another time than its own. */
export function ChartNotes({ outside, byArrival, before }: NotesProps) {
  return (
    <>
      <StillCounting before={before} />
      {outside > 0 && (
        <p className="soft small">
          {counted(outside, 'event', 'events')} outside: more than 400 days before or 1 day after
          arrival, so in no chart. Check the clock and the unit of <code>time</code>: milliseconds.
        </p>
      )}
      {byArrival > 0 && (
        <p className="soft small">
          {counted(byArrival, 'older event stands', 'older events stand')} at the hour of arrival:
          the events were deleted before charts went by event time.
        </p>
      )}
    </>
  );
}

/** After an upgrade: what arrived before an instant is in no chart yet. */
export function StillCounting({ before }: { readonly before: number | null }) {
  if (before === null) return null;
  return (
    <p className="soft small" role="status">
      Events before <Time at={before} /> are still being counted. The chart fills up by itself.
    </p>
  );
}
