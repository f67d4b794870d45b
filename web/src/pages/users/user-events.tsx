import { Link } from '@tanstack/react-router';
import type { StoredEvent } from '../../api/types.ts';
import { formatMoney, humanize } from '../../lib/format.ts';
import { stringifyExactJson } from '../../lib/exact-json.ts';
import { Card } from '../../ui/card.tsx';
import { timeColumn } from '../../ui/columns.tsx';
import { List } from '../../ui/list.tsx';
import { LongText, clampProps } from '../../ui/long-text.tsx';
import { Empty } from '../../ui/states.tsx';
import type { Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';

export const EVENT_COLUMNS: readonly Column<StoredEvent>[] = [
  {
    name: 'Event',
    cell: ({ name, slug, type }) => (
      <>
        <Link to="/events/$slug" params={{ slug }} {...clampProps(name)}>
          {name}
        </Link>
        <div className="soft small">
          {humanize(type)} · <code>{slug}</code>
        </div>
      </>
    ),
  },
  {
    name: 'Details',
    cell: ({ revenue, currency, attributes }) =>
      revenue !== undefined ? (
        formatMoney(revenue, currency ?? '')
      ) : attributes === undefined ? (
        '–'
      ) : (
        <small>
          <LongText text={stringifyExactJson(attributes)} isCode />
        </small>
      ),
  },
  { name: 'Event time', width: '11rem', cell: ({ time }) => <Time at={time} /> },
  timeColumn('Arrived', ({ receivedAt }) => receivedAt),
];

export function UserEvents({ path }: { readonly path: string }) {
  return (
    <Card title="Events" description="By event time, newest first." isFlush>
      <List<StoredEvent>
        label="Events of the user"
        path={`${path}/events`}
        columns={EVENT_COLUMNS}
        rowKey={({ id }) => id}
        fileName="events.csv"
        empty={<Empty title="No events yet" icon="events" />}
      />
    </Card>
  );
}
