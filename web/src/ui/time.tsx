import {
  formatAgo,
  formatClock,
  formatDayClock,
  formatDuration,
  formatExactTime,
  formatShortTime,
  formatTime,
  isOneDay,
  toDate,
} from '../lib/format.ts';
import { useNow } from '../lib/now.ts';

const FORMS = {
  ago: formatAgo,
  clock: formatClock,
  day: formatDayClock,
  short: formatShortTime,
} as const;

type Instant = number | bigint | null | undefined;

/** An instant in the viewer's locale and time zone. The tooltip has milliseconds and UTC. */
export function Time({
  at,
  form = 'whole',
}: {
  readonly at: Instant;
  /** `ago`: `3 h ago`. `short`: as lists have it. `clock`: to the minute, for sentences. `day`: also with the date of today. */
  readonly form?: 'whole' | keyof typeof FORMS;
}) {
  const now = useNow();
  if (at === null || at === undefined) return <span className="soft">–</span>;
  const date = toDate(at);
  return (
    <time
      className={date === null ? 'wrap' : 'nowrap'}
      dateTime={date?.toISOString()}
      title={formatExactTime(at)}
    >
      {date === null || form === 'whole' ? formatTime(at, now) : FORMS[form](Number(at), now)}
    </time>
  );
}

/** From one instant to another, in a sentence. Both have their date unless the day is the same. */
export function TimeRange({ from, to }: { readonly from: number; readonly to: number }) {
  const form = isOneDay(from, to) ? 'clock' : 'day';
  return (
    <>
      from <Time at={from} form={form} /> to <Time at={to} form={form} />
    </>
  );
}

export function Duration({ ms }: { readonly ms: number | null | undefined }) {
  if (ms === null || ms === undefined) return <span className="soft">–</span>;
  return (
    <span className="nowrap numbers" title={`${ms} ms`}>
      {formatDuration(ms)}
    </span>
  );
}
