import { Link, useNavigate } from '@tanstack/react-router';
import { AUTOMATION_STATUSES } from '@tidings/contracts/automations/runs';
import { useMemo } from 'react';
import { useMay } from '../../api/roles.ts';
import type { ListedAutomation } from '../../api/types.ts';
import { channelName } from '../../labels/channel-name.ts';
import { formatCount, formatShare, humanize } from '../../lib/format.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { Button, buttonClass } from '../../ui/button.tsx';
import { ChannelIcon } from '../../ui/channel-icon.tsx';
import { shortTimeColumn } from '../../ui/columns.tsx';
import { FilterBar } from '../../ui/filter-bar.tsx';
import { useFilters } from '../../ui/filters.ts';
import { FirstEmpty } from '../../ui/first-empty.tsx';
import { Page } from '../../ui/page.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Empty, Failure } from '../../ui/states.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { TableSkeleton } from '../../ui/table-skeleton.tsx';
import { Views } from '../../ui/views.tsx';
import type { Names } from '../../conditions/describe-condition.ts';
import { triggerText } from '../../automations/words.ts';
import { useSegmentFacts } from '../segments/use-segment-facts.ts';
import { AutomationActions } from './actions.tsx';
import { Recipes } from './recipes.tsx';
import { useAutomations } from './use-automations.ts';

/** Of an automation that was never activated there is nothing to count. */
const numberCell =
  (text: (automation: ListedAutomation) => string) => (automation: ListedAutomation) =>
    automation.liveVersion === null ? <span className="soft">–</span> : text(automation);

const listColumns = (names: Names): readonly Column<ListedAutomation>[] => [
  {
    name: 'Name',
    cell: ({ slug, name }) => (
      <Link to="/automations/$slug" params={{ slug }} title={slug} dir="auto">
        {name}
      </Link>
    ),
  },
  {
    name: 'Starts when',
    isMinor: true,
    cell: ({ trigger }) => <bdi className="soft">{triggerText(trigger, names)}</bdi>,
  },
  { name: 'Status', width: '7rem', cell: ({ status }) => <StatusBadge status={status} /> },
  {
    name: 'Sends by',
    isMinor: true,
    width: '7rem',
    cell: ({ channels }) => (
      <span className="channels" title={channels.map(channelName).join(', ')}>
        {channels.map((channel) => (
          <span key={channel} role="img" aria-label={channelName(channel)}>
            <ChannelIcon channel={channel} />
          </span>
        ))}
      </span>
    ),
  },
  {
    name: 'Entered',
    isNumber: true,
    isMinor: true,
    width: '5.5rem',
    cell: numberCell(({ entered }) => formatCount(entered)),
  },
  {
    name: 'In it now',
    isNumber: true,
    width: '6rem',
    cell: numberCell(({ active }) => formatCount(active)),
  },
  {
    name: 'Goal',
    isNumber: true,
    isMinor: true,
    width: '5rem',
    cell: numberCell(({ goals, entered }) => formatShare(goals, entered)),
  },
  shortTimeColumn('Changed', ({ updatedAt }) => updatedAt),
];

export function AutomationsPage() {
  const navigate = useNavigate();
  const filters = useFilters(['status', 'q']);
  const may = useMay('changeAutomations');
  const { data, error, refetch } = useAutomations();
  const { names } = useSegmentFacts();
  const columns = useMemo(() => listColumns(names), [names]);
  const create = may && (
    <Link to="/new-automation" className={buttonClass('primary')}>
      New automation
    </Link>
  );
  if (data?.length === 0)
    return (
      <Page title="Automations" isList actions={create}>
        <NoAutomations />
      </Page>
    );
  const [status, q] = [filters.get('status'), filters.get('q').toLocaleLowerCase()];
  const rows = (data ?? []).filter(
    (each) =>
      (status === '' || each.status === status) &&
      `${each.name} ${each.slug}`.toLocaleLowerCase().includes(q),
  );
  const views = ['', ...AUTOMATION_STATUSES].map((value) => {
    const { length } = (data ?? []).filter((each) => value === '' || each.status === value);
    const name = value === '' ? 'All' : humanize(value);
    return { value, label: data === undefined ? name : `${name} ${formatCount(length)}` };
  });
  return (
    <Page
      title="Automations"
      isList
      actions={
        <>
          <SearchField label="Name" {...filters.field('q')} />
          {create}
        </>
      }
    >
      <FilterBar>
        <Views label="Status" views={views} {...filters.field('status')} />
      </FilterBar>
      {data === undefined ? (
        error === null ? (
          <TableSkeleton columns={columns} />
        ) : (
          <Failure error={error} onRetry={refetch} />
        )
      ) : rows.length === 0 ? (
        <Empty
          title="No matching automations"
          icon="search"
          action={<Button onClick={filters.clear}>Clear filters</Button>}
        />
      ) : (
        <Table<ListedAutomation>
          label="Automations"
          columns={columns}
          rows={rows}
          rowKey={({ slug }) => slug}
          onOpen={({ slug }) => void navigate({ to: '/automations/$slug', params: { slug } })}
          isLined
          actions={(automation) => <AutomationActions automation={automation} isSmall />}
        />
      )}
    </Page>
  );
}

function NoAutomations() {
  return (
    <FirstEmpty
      title="Messages that send themselves"
      action={<Recipes />}
      ghost={[
        ['Abandoned cart', 'Active', '3,712 entered', '23.4 % goal', '2 h'],
        ['Welcome series', 'Active', '1,904 entered', '9.1 % goal', 'Nov 20'],
        ['Review after delivery', 'Draft', '–', '–', 'Nov 18'],
      ]}
      call={{
        method: 'PUT',
        path: '/api/v1/automations/abandoned-cart',
        body: `{
    "version": 1,
    "name": "Abandoned cart",
    "purpose": "marketing",
    "trigger": { "event": { "kind": "action", "name": "cart_filled" } },
    "nodes": [
      { "id": "wait1", "delay": "1h" },
      { "id": "mail1", "send": { "channel": "EMAIL", "template": "cart" } }
    ]
  }`,
      }}
    >
      Someone does something. Tidings waits, checks and writes to each of them at their own time.
      Nothing is sent before you activate it.
    </FirstEmpty>
  );
}
