import { EVENT_KINDS } from '@tidings/contracts/ingest/ingest';
import { Link } from '@tanstack/react-router';
import { useLive } from '../../api/live.ts';
import type { ArrivedEvent } from '../../api/types.ts';
import { ChoiceFilter } from '../../ui/choice-filter.tsx';
import { Card } from '../../ui/card.tsx';
import { FilterBar } from '../../ui/filter-bar.tsx';
import { useFilters } from '../../ui/filters.ts';
import { List } from '../../ui/list.tsx';
import { LiveBadge } from '../../ui/live-badge.tsx';
import { toOptions } from '../../ui/options.ts';
import { Empty } from '../../ui/states.tsx';
import type { Column } from '../../ui/table.tsx';
import { UserLink } from '../../ui/user-link.tsx';
import { EVENT_COLUMNS } from '../users/user-events.tsx';

const USER_COLUMN: Column<ArrivedEvent> = {
  name: 'User',
  cell: ({ customUserId }) => <UserLink customUserId={customUserId} />,
};

/** The latest events of one definition, or of all. */
export function EventStream({ definition }: { readonly definition?: string }) {
  const filters = useFilters(['type']);
  useLive('ingest', ['events']);
  return (
    <Card
      title="Latest events"
      description="By arrival time. Events of unregistered users are not shown."
      actions={<LiveBadge />}
      isFlush
    >
      {definition === undefined && (
        <FilterBar>
          <ChoiceFilter
            label="Type"
            {...filters.field('type')}
            options={toOptions(EVENT_KINDS, 'All types')}
          />
        </FilterBar>
      )}
      <List<ArrivedEvent>
        label="Latest events"
        path="events"
        query={definition === undefined ? filters.values : { definition }}
        columns={[...EVENT_COLUMNS, USER_COLUMN]}
        rowKey={({ id }) => id}
        fileName="events.csv"
        empty={
          <Empty title="No events" icon="events">
            No events of registered users yet. The <Link to="/ingest">ingest log</Link> shows
            dropped and held events.
          </Empty>
        }
      />
    </Card>
  );
}
