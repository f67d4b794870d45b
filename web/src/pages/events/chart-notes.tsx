import type { EventChart } from '../../api/types.ts';
import { counted } from '../../lib/format.ts';
import { Time } from '../../ui/time.tsx';

type NotesProps = Pick<EventChart, 'outside' | 'byArrival'> & Parameters<typeof StillCounting>[0];

/** Notes on events that a chart leaves out, has not counted yet, or shows by arrival time. */
export function ChartNotes({ outside, byArrival, before }: NotesProps) {
  return (
    <>
      <StillCounting before={before} />
      {outside > 0 && (
        <p className="soft small">
          {counted(outside, 'event', 'events')} not charted: event time more than 400 days before or
          1 day after arrival. Check the sender’s clock; <code>time</code> must be in milliseconds.
        </p>
      )}
      {byArrival > 0 && (
        <p className="soft small">
          {counted(byArrival, 'older event is', 'older events are')} shown by arrival time: the
          events were deleted before charts used the event time.
        </p>
      )}
    </>
  );
}

/** After an upgrade: events that arrived before this instant are not in the charts yet. */
export function StillCounting({ before }: { readonly before: number | null }) {
  if (before === null) return null;
  return (
    <p className="soft small" role="status">
      Events before <Time at={before} /> are still being counted. The chart updates automatically.
    </p>
  );
}
