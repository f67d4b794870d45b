import {
  formatAgo,
  formatDuration,
  formatExactTime,
  formatShortTime,
  formatTime,
  toDate,
} from '../lib/format.ts';
import { useNow } from '../lib/now.ts';

const FORMS = { ago: formatAgo, short: formatShortTime } as const;

type Instant = number | bigint | null | undefined;

/** An instant in the viewer's locale and time zone. The tooltip has milliseconds and UTC. */
export function Time({
  at,
  form = 'whole',
}: {
  readonly at: Instant;
  /** `ago`: `3 h ago`. `short`: as lists have it. */
  readonly form?: 'whole' | 'ago' | 'short';
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

export function Duration({ ms }: { readonly ms: number | null | undefined }) {
  if (ms === null || ms === undefined) return <span className="soft">–</span>;
  return (
    <span className="nowrap numbers" title={`${ms} ms`}>
      {formatDuration(ms)}
    </span>
  );
}
