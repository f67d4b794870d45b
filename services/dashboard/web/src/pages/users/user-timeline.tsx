import { Link } from '@tanstack/react-router';
import { statusOf } from '../../api/problem.ts';
import { useList } from '../../api/queries.ts';
import { formatJson } from '../../lib/exact-json.ts';
import { formatMoney, humanize } from '../../lib/format.ts';
import { Badge, StatusBadge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Empty, Failure, Loading } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { channelName } from '../../words/names.ts';

/** What happened to or by a user; which fields there are, the kind says. */
type Entry = Readonly<Record<string, unknown>> & { readonly kind?: string; readonly at?: number };

/** An event or message stands in an entry of its own. */
const flat = (entry: Entry): Entry => ({ ...(entry['event'] as object | undefined), ...(entry['message'] as object | undefined), ...entry });

const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

/** Events, changes of the profile and messages of a user, in one line of time. */
export function UserTimeline({ path }: { readonly path: string }) {
  const list = useList<Entry>(`${path}/timeline`);
  const entries = list.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <Card title="Timeline" description="Events, changes of the profile and messages, newest first.">
      {list.data === undefined && list.error === null && <Loading />}
      {list.data === undefined && list.error !== null && (statusOf(list.error) === 404 ? <Empty title="No timeline" icon="users" /> : <Failure error={list.error} onRetry={() => list.refetch()} />)}
      {list.data !== undefined && entries.length === 0 && <Empty title="Nothing has happened yet" icon="users" />}
      <ol className="timeline">
        {entries.map(flat).map((entry, index) => (
          <TimelineEntry key={`${index} ${String(entry.at)}`} entry={entry} />
        ))}
      </ol>
      {list.hasNextPage && (
        <div className="row">
          <Button isBusy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            Show older
          </Button>
        </div>
      )}
    </Card>
  );
}

function TimelineEntry({ entry }: { readonly entry: Entry }) {
  const at = entry.at ?? entry['time'] ?? entry['receivedAt'];
  const campaignId = text(entry['campaignId']);
  const slug = text(entry['slug']);
  const channel = text(entry['channel']);
  const status = text(entry['status']) ?? text(entry['outcome']);
  const fields = entry['attributes'] ?? entry['fields'] ?? entry['changes'];
  return (
    <li>
      <div className="row">
        <strong className="wrap">{text(entry['name']) ?? (channel !== null ? `${channelName(channel)} message` : humanize(entry.kind ?? 'entry'))}</strong>
        <Badge>{humanize(entry.kind ?? 'entry')}</Badge>
        {status !== null && <StatusBadge status={status} />}
        <span className="soft">
          <Time at={typeof at === 'number' || typeof at === 'bigint' ? at : null} />
        </span>
      </div>
      <div className="row small">
        {campaignId !== null && (
          <Link to="/campaigns/$campaignId" params={{ campaignId }}>
            Open the report
          </Link>
        )}
        {slug !== null && (
          <Link to="/events/$slug" params={{ slug }}>
            {slug}
          </Link>
        )}
        {text(entry['reason']) !== null && <span>{humanize(text(entry['reason']) ?? '')}</span>}
        {typeof entry['revenue'] === 'number' && <span>{formatMoney(entry['revenue'], text(entry['currency']) ?? '')}</span>}
      </div>
      {fields !== undefined && fields !== null && <code className="wrap small">{formatJson(fields)}</code>}
    </li>
  );
}
