import { Link, useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useMay } from '../../api/roles.ts';
import type { Funnel } from '../../api/types.ts';
import type { Names } from '../../conditions/describe-condition.ts';
import { durationText } from '../../conditions/duration.ts';
import { buttonClass } from '../../ui/button.tsx';
import { shortTimeColumn } from '../../ui/columns.tsx';
import { FirstEmpty } from '../../ui/first-empty.tsx';
import { List } from '../../ui/list.tsx';
import { Page } from '../../ui/page.tsx';
import type { Column } from '../../ui/table.tsx';
import { useSegmentFacts } from '../segments/use-segment-facts.ts';
import { stepsText } from './words.ts';

const listColumns = (names: Names): readonly Column<Funnel>[] => [
  {
    name: 'Name',
    cell: ({ name, slug, steps }) => (
      <>
        <Link to="/funnels/$slug" params={{ slug }} title={slug} dir="auto">
          {name}
        </Link>
        <div className="narrow-only soft small cut">{stepsText(steps, names)}</div>
      </>
    ),
  },
  {
    name: 'Steps',
    isMinor: true,
    cell: ({ steps }) => <bdi className="soft">{stepsText(steps, names)}</bdi>,
  },
  {
    name: 'Within',
    isMinor: true,
    width: '7rem',
    cell: ({ window }) => <span className="soft">{durationText(window)}</span>,
  },
  shortTimeColumn('Changed', ({ updatedAt }) => updatedAt),
];

export function FunnelsPage() {
  const navigate = useNavigate();
  const { names } = useSegmentFacts();
  const columns = useMemo(() => listColumns(names), [names]);
  const create = (
    <Link to="/new-funnel" className={buttonClass('primary')}>
      New funnel
    </Link>
  );
  return (
    <Page title="Funnels" isList actions={create}>
      <List<Funnel>
        label="Funnels"
        path="funnels"
        columns={columns}
        rowKey={({ slug }) => slug}
        onOpen={({ slug }) => void navigate({ to: '/funnels/$slug', params: { slug } })}
        isLined
        fileName="funnels.csv"
        empty={<NoFunnels />}
      />
    </Page>
  );
}

function NoFunnels() {
  const maySave = useMay('changeFunnels');
  return (
    <FirstEmpty
      title="No funnels yet"
      action={
        <Link to="/new-funnel" className={buttonClass('primary')}>
          {maySave ? 'New funnel' : 'Ask a funnel'}
        </Link>
      }
      ghost={[
        ['View to purchase', 'item_viewed → cart_filled → item_bought', '7 days', '3 h'],
        ['First order', 'signed_up → item_viewed → item_bought', '30 days', 'Yesterday'],
        ['Checkout', 'checkout_opened → item_bought', '1 hour', '26 Nov'],
      ]}
      call={{
        method: 'PUT',
        path: '/api/v1/funnels/buying',
        body: `{
    "name": "View to purchase",
    "window": "7d",
    "steps": [
      { "event": { "kind": "action", "name": "item_viewed" } },
      { "event": { "kind": "action", "name": "item_bought" } }
    ]
  }`,
      }}
    >
      See how many people go from one event to the next, and write to those who stopped.
    </FirstEmpty>
  );
}
