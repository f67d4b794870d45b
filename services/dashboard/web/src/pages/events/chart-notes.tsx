import type { EventChart } from '../../api/types.ts';
import { counted } from '../../lib/format.ts';

/** What a chart does not show, or shows at another time than its own. */
export function ChartNotes({ outside, byArrival }: Pick<EventChart, 'outside' | 'byArrival'>) {
  return (
    <>
      {outside > 0 && (
        <p className="soft small">
          {counted(outside, 'event', 'events')} outside: more than 400 days before or 1 day after arrival, so in no chart. Check the clock and the unit of <code>time</code>: milliseconds.
        </p>
      )}
      {byArrival > 0 && <p className="soft small">{counted(byArrival, 'older event stands', 'older events stand')} at the hour of arrival: the events were deleted before charts went by event time.</p>}
    </>
  );
}
