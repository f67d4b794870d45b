import { Link, useNavigate } from '@tanstack/react-router';
import { EVENT_KINDS } from '@tidings/contracts/ingest/ingest';
import { useState } from 'react';
import { useChange } from '../../api/queries.ts';
import { useMay } from '../../api/roles.ts';
import type { Definition } from '../../api/types.ts';
import { formatCount, humanize } from '../../lib/format.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { Select } from '../../ui/select.tsx';
import { useFilters } from '../../ui/filters.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { List } from '../../ui/list.tsx';
import { toOptions } from '../../ui/options.ts';
import { Page } from '../../ui/page.tsx';
import type { Column } from '../../ui/table.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { Time } from '../../ui/time.tsx';
import { showToast } from '../../ui/toast.tsx';
import { useFields } from '../../ui/use-fields.ts';
import { EventStream } from './event-stream.tsx';
import { Revenue } from './revenue.tsx';
import { INGEST_CALL } from '../../ui/api-call.tsx';
import { FirstEmpty } from '../../ui/first-empty.tsx';

const TABS = [
  { id: 'definitions', label: 'Definitions' },
  { id: 'stream', label: 'Latest events' },
  { id: 'revenue', label: 'Revenue' },
] as const;

const COLUMNS: readonly Column<Definition>[] = [
  {
    name: 'Name',
    cell: ({ slug, name }) => (
      <Link to="/events/$slug" params={{ slug }} title={name} dir="auto">
        {name}
      </Link>
    ),
  },
  { name: 'Slug', width: '6rem', cell: ({ slug }) => <code>{slug}</code> },
  { name: 'Type', cell: ({ kind }) => humanize(kind), isMinor: true, width: '9rem' },
  {
    name: 'Events',
    isNumber: true,
    isMinor: true,
    width: '9rem',
    cell: ({ events }) => formatCount(events),
  },
  {
    name: 'Last 24 h',
    isNumber: true,
    isMinor: true,
    width: '7.5rem',
    cell: ({ eventsLastDay }) => formatCount(eventsLastDay),
  },
  {
    name: 'Last arrival',
    isMinor: true,
    width: '8rem',
    cell: ({ lastReceivedAt }) => <Time at={lastReceivedAt} form="ago" />,
  },
  {
    name: 'Origin',
    isMinor: true,
    width: '8rem',
    cell: ({ origin }) => (origin === 'auto' ? 'First event' : 'Predefined'),
  },
  {
    name: 'Status',
    width: '9rem',
    cell: ({ discarded, mergedInto }) =>
      mergedInto !== undefined ? (
        <Badge>Merged into {mergedInto}</Badge>
      ) : discarded ? (
        <Badge tone="warn">Not accepted</Badge>
      ) : (
        <Badge>Active</Badge>
      ),
  },
];

export function EventsPage() {
  const filters = useFilters(['tab']);
  const tab = TABS.find(({ id }) => id === filters.get('tab'))?.id ?? 'definitions';
  const [isCreating, setCreating] = useState(false);
  const may = useMay('changeDefinitions');
  const navigate = useNavigate();
  const create = may && (
    <Button kind="primary" onClick={() => setCreating(true)}>
      New definition
    </Button>
  );
  return (
    <Page title="Events" isList={tab === 'definitions'} actions={create}>
      <Tabs tabs={TABS} active={tab} label="Event sections" />
      {tab === 'stream' && <EventStream />}
      {tab === 'revenue' && <Revenue />}
      {tab === 'definitions' && (
        <List<Definition>
          label="Event definitions"
          path="definitions"
          columns={COLUMNS}
          rowKey={({ slug }) => slug}
          onOpen={({ slug }) => void navigate({ to: '/events/$slug', params: { slug } })}
          isLined
          fileName="definitions.csv"
          empty={
            <FirstEmpty
              title="No definitions yet"
              action={create}
              ghost={[
                ['item_viewed', 'Action', '12,480', '2 s'],
                ['order_paid', 'Revenue', '1,204', '1 min'],
                ['login', 'Action', '5,310', '4 s'],
              ]}
              call={INGEST_CALL}
            >
              Each event name has a definition with a short slug; you can send either. The first
              event with a new customName creates one automatically.
            </FirstEmpty>
          }
        />
      )}
      {isCreating && <CreateDefinition onClose={() => setCreating(false)} />}
    </Page>
  );
}

function CreateDefinition({ onClose }: { readonly onClose: () => void }) {
  const { values, field } = useFields({ name: '', kind: 'action' });
  const create = useChange<void, Definition>(
    () => ({ path: 'definitions', method: 'POST', body: values }),
    ['definitions'],
  );
  const submit = (): void =>
    create.mutate(undefined, {
      onSuccess: ({ slug }) => {
        showToast(`Definition created with the slug ${slug}`);
        onClose();
      },
    });
  return (
    <FormDialog
      title="New definition"
      action="Create"
      change={create}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label="Name"
        {...field('name')}
        hint="The customName of the events. Case-sensitive."
        required
      />
      <Select label="Type" {...field('kind')} options={toOptions(EVENT_KINDS)} />
    </FormDialog>
  );
}
