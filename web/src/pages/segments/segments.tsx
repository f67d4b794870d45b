import { Link, useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useMay } from '../../api/roles.ts';
import type { ListedSegment } from '../../api/types.ts';
import { counted, formatCount, formatExactTime } from '../../lib/format.ts';
import { buttonClass } from '../../ui/button.tsx';
import { shortTimeColumn } from '../../ui/columns.tsx';
import { Icon } from '../../ui/icon.tsx';
import { List } from '../../ui/list.tsx';
import { Page } from '../../ui/page.tsx';
import type { Column } from '../../ui/table.tsx';
import { CountSegments } from './count-segments.tsx';
import { summarize, type Names } from '../../conditions/describe-condition.ts';
import { useSegmentFacts } from './use-segment-facts.ts';
import { FirstEmpty } from '../../ui/first-empty.tsx';

const listColumns = (names: Names): readonly Column<ListedSegment>[] => [
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
    cell: ({ condition }) => <bdi className="soft">{summarize(condition, names)}</bdi>,
  },
  {
    name: 'People',
    isNumber: true,
    width: '7rem',
    cell: ({ lastCount }) =>
      lastCount === null ? (
        <span className="soft">–</span>
      ) : (
        <span title={`Counted ${formatExactTime(lastCount.asOf)}`}>
          {formatCount(lastCount.count)}
        </span>
      ),
  },
  {
    name: 'By e-mail',
    isNumber: true,
    isMinor: true,
    width: '9rem',
    cell: ({ lastCount }) =>
      lastCount === null ? (
        <span className="soft">–</span>
      ) : (
        <span className="part-count">
          <meter
            min={0}
            max={Math.max(1, lastCount.count)}
            value={lastCount.reachable.EMAIL}
            aria-hidden="true"
          />
          {formatCount(lastCount.reachable.EMAIL)}
        </span>
      ),
  },
  {
    name: 'Used by',
    isMinor: true,
    width: '12rem',
    cell: (segment) => <span className="soft">{usesText(segment)}</span>,
  },
  shortTimeColumn('Changed', ({ updatedAt }) => updatedAt),
];

/** `4 campaigns, 1 template`. */
function usesText({ campaigns, templates, usedBy }: ListedSegment): string {
  const uses = [
    [campaigns, 'campaign', 'campaigns'],
    [templates, 'template', 'templates'],
    [usedBy.length, 'segment', 'segments'],
  ] as const;
  const named = uses.flatMap(([count, one, many]) =>
    count === 0 ? [] : [counted(count, one, many)],
  );
  return named.length === 0 ? 'Nothing yet' : named.join(', ');
}

export function SegmentsPage() {
  const navigate = useNavigate();
  const { names } = useSegmentFacts();
  const mayCompose = useMay('compose');
  const columns = useMemo(() => listColumns(names), [names]);
  const create = useMay('changeSegments') && (
    <Link to="/new-segment" className={buttonClass('primary')}>
      New segment
    </Link>
  );
  return (
    <Page
      title="Segments"
      isList
      actions={
        <>
          <CountSegments />
          {create}
        </>
      }
    >
      <List<ListedSegment>
        label="Segments"
        path="segments"
        columns={columns}
        rowKey={({ slug }) => slug}
        onOpen={({ slug }) => void navigate({ to: '/segments/$slug', params: { slug } })}
        isLined
        actions={
          mayCompose
            ? ({ slug, name }) => (
                <Link
                  to="/compose"
                  search={{ segment: slug }}
                  className={buttonClass('plain', true)}
                  aria-label={`Write to ${name}`}
                >
                  <Icon name="compose" />
                </Link>
              )
            : undefined
        }
        fileName="segments.csv"
        empty={
          <FirstEmpty
            title="No segments yet"
            action={create}
            ghost={[
              ['Berlin buyers', 'City is Berlin and “order_paid” in 30 days', '5,055', '4,555'],
              ['Viewed, did not buy', '“item_viewed”, never “order_paid”', '24,913', '22,871'],
              ['No order in 90 days', 'not “order_paid” in 90 days', '12,077', '11,204'],
            ]}
            call={{
              method: 'PUT',
              path: '/api/v1/segments/berlin',
              body: `{
    "name": "Berlin",
    "condition": { "field": "city", "is": "Berlin" }
  }`,
            }}
          >
            A segment finds users by their profile, attributes and events, and by whether a channel
            reaches them, and says why each is a member.
          </FirstEmpty>
        }
      />
    </Page>
  );
}
