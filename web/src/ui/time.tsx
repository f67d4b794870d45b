import { formatAgo, formatDuration, formatExactTime, formatTime, toDate } from '../lib/format.ts';
import { useNow } from '../lib/now.ts';

type Instant = number | bigint | null | undefined;

/** An instant in the viewer's locale and time zone. The tooltip has milliseconds and UTC. */
export function Time({
  at,
  isRelative = false,
}: {
  readonly at: Instant;
  readonly isRelative?: boolean;
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
      {isRelative ? formatAgo(Number(at), now) : formatTime(at, now)}
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
