import { httpStatus } from '../../api/problem.ts';
import { useRead, type Page as Listed } from '../../api/queries.ts';
import type { StoredEvent } from '../../api/types.ts';
import { Card } from '../../ui/card.tsx';
import { List } from '../../ui/list.tsx';
import { Empty } from '../../ui/states.tsx';
import { EVENT_COLUMNS } from './user-events.tsx';

/** Events of somebody who is not registered: nobody sees them elsewhere until he is. */
export function HeldEvents({ path }: { readonly path: string }) {
  const first = useRead<Listed<StoredEvent>>(`${path}/held-events`, { query: { limit: 1 } });
  // Nobody by this id was ever seen.
  if (httpStatus(first.error) === 404) return null;
  return (
    <Card
      title="Held events"
      description="They came before their user, and appear everywhere as soon as a user message registers this customUserId, within 30 days."
      isFlush
    >
      <List<StoredEvent>
        label="Held events"
        path={`${path}/held-events`}
        columns={EVENT_COLUMNS}
        rowKey={({ id }) => id}
        fileName="held-events.csv"
        empty={<Empty title="No events wait" icon="events" />}
      />
    </Card>
  );
}
