import { Link, useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useMay } from '../../api/roles.ts';
import type { Segment } from '../../api/types.ts';
import { buttonClass } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { timeColumn } from '../../ui/columns.tsx';
import { List } from '../../ui/list.tsx';
import { clampProps, LongText } from '../../ui/long-text.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty } from '../../ui/states.tsx';
import type { Column } from '../../ui/table.tsx';
import { summarize, type Names } from './describe-condition.ts';
import { useSegmentFacts } from './use-segment-facts.ts';

const listColumns = (names: Names): readonly Column<Segment>[] => [
  {
    name: 'Name',
    cell: ({ slug, name }) => (
      <>
        <strong>
          <Link to="/segments/$slug" params={{ slug }} {...clampProps(name)}>
            {name}
          </Link>
        </strong>
        <div className="soft small wrap">
          <code className="wrap">{slug}</code>
        </div>
      </>
    ),
  },
  {
    name: 'Members',
    isMinor: true,
    cell: ({ condition }) => <LongText text={summarize(condition, names)} />,
  },
  {
    name: 'Used by',
    isMinor: true,
    width: '9rem',
    cell: ({ usedBy }) =>
      usedBy.length === 0 ? (
        '–'
      ) : (
        <LongText text={usedBy.map((slug) => names.segments.get(slug) ?? slug).join(', ')} />
      ),
  },
  { name: 'Version', isNumber: true, isMinor: true, width: '6rem', cell: ({ version }) => version },
  timeColumn('Changed', ({ updatedAt }) => updatedAt),
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
    <Page
      title="Segments"
      description="Named conditions over your users: who they are, what they did, and whether a channel reaches them."
      actions={create}
    >
      <Card isFlush>
        <List<Segment>
          label="Segments"
          path="segments"
          columns={columns}
          rowKey={({ slug }) => slug}
          onOpen={({ slug }) => void navigate({ to: '/segments/$slug', params: { slug } })}
          fileName="segments.csv"
          empty={
            <Empty title="No segments yet" icon="segments" action={create}>
              A segment finds users by their profile, attributes and events, and says why each is a
              member.
            </Empty>
          }
        />
      </Card>
    </Page>
  );
}
