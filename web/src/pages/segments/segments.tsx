import { Link, useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useMay } from '../../api/roles.ts';
import type { Segment } from '../../api/types.ts';
import { buttonClass } from '../../ui/button.tsx';
import { shortTimeColumn } from '../../ui/columns.tsx';
import { List } from '../../ui/list.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty } from '../../ui/states.tsx';
import type { Column } from '../../ui/table.tsx';
import { summarize, type Names } from './describe-condition.ts';
import { useSegmentFacts } from './use-segment-facts.ts';

const listColumns = (names: Names): readonly Column<Segment>[] => [
  {
    name: 'Name',
    cell: ({ slug, name }) => (
      <Link to="/segments/$slug" params={{ slug }} title={slug} dir="auto">
        {name}
      </Link>
    ),
  },
  {
    name: 'Condition',
    isMinor: true,
    width: '30rem',
    cell: ({ condition }) => <bdi className="soft">{summarize(condition, names)}</bdi>,
  },
  {
    name: 'Used by',
    isMinor: true,
    width: '9rem',
    cell: ({ usedBy }) =>
      usedBy.length === 0 ? (
        '–'
      ) : (
        <bdi>{usedBy.map((slug) => names.segments.get(slug) ?? slug).join(', ')}</bdi>
      ),
  },
  shortTimeColumn('Changed', ({ updatedAt }) => updatedAt),
];

export function SegmentsPage() {
  const navigate = useNavigate();
  const { names } = useSegmentFacts();
  const columns = useMemo(() => listColumns(names), [names]);
  const create = useMay('changeSegments') && (
    <Link to="/new-segment" className={buttonClass('primary')}>
      New segment
    </Link>
  );
  return (
    <Page title="Segments" isList actions={create}>
      <List<Segment>
        label="Segments"
        path="segments"
        columns={columns}
        rowKey={({ slug }) => slug}
        onOpen={({ slug }) => void navigate({ to: '/segments/$slug', params: { slug } })}
        isLined
        fileName="segments.csv"
        empty={
          <Empty title="No segments yet" icon="segments" action={create}>
            A segment finds users by their profile, attributes and events, and by whether a channel
            reaches them, and says why each is a member.
          </Empty>
        }
      />
    </Page>
  );
}
