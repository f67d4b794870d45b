import { httpStatus } from '../../api/problem.ts';
import { useRead, type Page as Listed } from '../../api/queries.ts';
import type { StoredEvent } from '../../api/types.ts';
import { Card } from '../../ui/card.tsx';
import { List } from '../../ui/list.tsx';
import { Empty } from '../../ui/states.tsx';
import { EVENT_COLUMNS } from './user-events.tsx';

/** Events of an unregistered user. They appear nowhere else until the user is registered. */
export function HeldEvents({ path }: { readonly path: string }) {
  const first = useRead<Listed<StoredEvent>>(`${path}/held-events`, { query: { limit: 1 } });
  // This ID has never been used.
  if (httpStatus(first.error) === 404) return null;
  return (
    <Card
      title="Held events"
      description="These events arrived before their user. They become visible once a user with this ID is registered, within 30 days."
      isFlush
    >
      <List<StoredEvent>
        label="Held events"
        path={`${path}/held-events`}
        columns={EVENT_COLUMNS}
        rowKey={({ id }) => id}
        fileName="held-events.csv"
        empty={<Empty title="No held events" icon="events" />}
      />
    </Card>
  );
}
