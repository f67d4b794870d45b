import { Link } from '@tanstack/react-router';
import type { UserSegment } from '../../api/types.ts';
import { Badge } from '../../ui/badge.tsx';
import { Card } from '../../ui/card.tsx';
import { List } from '../../ui/list.tsx';
import { clampProps } from '../../ui/long-text.tsx';
import { Empty } from '../../ui/states.tsx';
import type { Column } from '../../ui/table.tsx';

const COLUMNS: readonly Column<UserSegment>[] = [
  {
    name: 'Segment',
    cell: ({ slug, name }) => (
      <Link to="/segments/$slug" params={{ slug }} {...clampProps(name)}>
        {name}
      </Link>
    ),
  },
  {
    name: 'Member',
    width: '7rem',
    cell: ({ isMember }) => (
      <Badge tone={isMember ? 'good' : 'quiet'}>{isMember ? 'Yes' : 'No'}</Badge>
    ),
  },
];

/** The segments of the application, and whether the user is in each now. */
export function UserSegments({ path }: { readonly path: string }) {
  return (
    <Card isFlush>
      <List<UserSegment>
        label="Segments"
        path={`${path}/segments`}
        columns={COLUMNS}
        rowKey={({ slug }) => slug}
        fileName={null}
        empty={
          <Empty
            title="No segments yet"
            icon="segments"
            action={<Link to="/segments">Segments</Link>}
          >
            A segment is a named condition over users.
          </Empty>
        }
      />
    </Card>
  );
}
