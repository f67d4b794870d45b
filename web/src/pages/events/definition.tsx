import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useEffect, useState, type ReactNode } from 'react';
import { httpStatus } from '../../api/problem.ts';
import { useChange, useList, useRead } from '../../api/queries.ts';
import { useMay } from '../../api/roles.ts';
import type { Definition, DefinitionDetail } from '../../api/types.ts';
import { formatCount, humanize } from '../../lib/format.ts';
import { isolate } from '../../lib/text.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Callout, Card, Facts } from '../../ui/card.tsx';
import { Json } from '../../ui/code.tsx';
import { TextField } from '../../ui/field.tsx';
import { Select } from '../../ui/select.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { showToast } from '../../ui/toast.tsx';
import { useFields } from '../../ui/use-fields.ts';
import { PeopleNumber } from '../people/people-number.tsx';
import { EventStream } from './event-stream.tsx';
import { SeriesChart } from './series-chart.tsx';

const DEFINITIONS_MAX = 500;

export function DefinitionPage() {
  const { slug = '' } = useParams({ strict: false });
  const read = useRead<DefinitionDetail>(`definitions/${encodeURIComponent(slug)}`, {
    everyMs: 30_000,
  });
  const back = <Link to="/events">← Events</Link>;
  if (read.data !== undefined) return <KnownDefinition definition={read.data} back={back} />;
  return (
    <Page title="Event" back={back}>
      {httpStatus(read.error) === 404 ? (
        <Card>
          <Empty title="Event definition not found" icon="search">
            This application has no definition with the slug <code>{slug}</code>.
          </Empty>
        </Card>
      ) : (
        <Loaded read={read}>{() => null}</Loaded>
      )}
    </Page>
  );
}

function KnownDefinition({
  definition,
  back,
}: {
  readonly definition: DefinitionDetail;
  readonly back: ReactNode;
}) {
  const may = useMay('changeDefinitions');
  const [dialog, setDialog] = useState<'rename' | 'merge' | 'delete' | null>(null);
  const discard = useChange<boolean>(
    (discarded) => ({
      path: `definitions/${definition.slug}`,
      method: 'PATCH',
      body: { discarded },
    }),
    ['definitions'],
  );
  const canChange = may && definition.mergedInto === undefined;
  return (
    <Page
      title={definition.name}
      back={back}
      description={
        <span className="row">
          <code>{definition.slug}</code> {humanize(definition.kind)}
          {definition.discarded && <Badge tone="warn">Not accepted</Badge>}
        </span>
      }
      actions={
        canChange && (
          <>
            <Button onClick={() => setDialog('rename')}>Rename</Button>
            <Button onClick={() => setDialog('merge')}>Merge</Button>
            <Button
              isBusy={discard.isPending}
              onClick={() =>
                discard.mutate(!definition.discarded, {
                  onSuccess: () =>
                    showToast(
                      definition.discarded
                        ? 'Definition restored'
                        : 'Events with this name are now dropped',
                    ),
                })
              }
            >
              {definition.discarded ? 'Restore' : 'Stop accepting'}
            </Button>
            <Button kind="danger" onClick={() => setDialog('delete')}>
              Delete
            </Button>
          </>
        )
      }
    >
      {definition.mergedInto !== undefined && (
        <Callout>
          <p>
            Merged: events are counted under{' '}
            <Link to="/events/$slug" params={{ slug: definition.mergedInto }}>
              {definition.mergedInto}
            </Link>
            .
          </p>
        </Callout>
      )}
      <Card title="Events over time" description="By event time.">
        <Facts
          facts={[
            ['Events', formatCount(definition.events)],
            ['Last 24 hours', formatCount(definition.eventsLastDay)],
            ...(hasPeople(definition)
              ? [
                  [
                    'People, last 30 days',
                    <PeopleNumber
                      condition={{ event: definition.slug, within: '30d' }}
                      title={definition.name}
                      fileName={`${definition.slug}-people.csv`}
                    />,
                  ] as const,
                ]
              : []),
            ['Last arrival', <Time at={definition.lastReceivedAt} form="ago" />],
            ['Created by', describeOrigin(definition)],
            ['Created', <Time at={definition.createdAt} />],
          ]}
        />
        <SeriesChart slug={definition.slug} name={definition.name} />
      </Card>
      <Samples samples={definition.samples} />
      <EventStream definition={definition.slug} />
      {dialog === 'rename' && <Rename definition={definition} onClose={() => setDialog(null)} />}
      {dialog === 'merge' && <Merge definition={definition} onClose={() => setDialog(null)} />}
      {dialog === 'delete' && <Delete definition={definition} onClose={() => setDialog(null)} />}
    </Page>
  );
}

/** Business events have no user; events of a merged definition count for its target. */
const hasPeople = ({ kind, mergedInto }: Definition): boolean =>
  kind !== 'businessEvent' && mergedInto === undefined;

function describeOrigin({ origin, byClientKey }: Definition): string {
  if (origin === 'predefined') return 'A member, in advance';
  return byClientKey ? 'First event, with a Client key' : 'First event';
}

/** The newest events in full, with the stored types of their attributes. */
function Samples({ samples }: Pick<DefinitionDetail, 'samples'>) {
  if (samples.length === 0) return null;
  return (
    <Card title="Samples" description="The newest events as stored.">
      {samples.map((event) => (
        <Json key={`${event.requestId} ${event.id}`} value={event} label={`Event ${event.id}`} />
      ))}
    </Card>
  );
}

function Rename({
  definition,
  onClose,
}: {
  readonly definition: Definition;
  readonly onClose: () => void;
}) {
  const { values, field } = useFields({ name: definition.name });
  const rename = useChange<void>(
    () => ({ path: `definitions/${definition.slug}`, method: 'PATCH', body: values }),
    ['definitions'],
  );
  return (
    <FormDialog
      title="Rename definition"
      action="Rename"
      change={rename}
      onSubmit={() => rename.mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    >
      <TextField
        label="Name"
        {...field('name')}
        hint="Send events with this customName from now on. The slug does not change."
      />
    </FormDialog>
  );
}

function Delete({
  definition,
  onClose,
}: {
  readonly definition: Definition;
  readonly onClose: () => void;
}) {
  const navigate = useNavigate();
  const remove = useChange<void>(
    () => ({ path: `definitions/${definition.slug}`, method: 'DELETE' }),
    ['definitions'],
  );
  const confirm = (): void =>
    remove.mutate(undefined, {
      onSuccess: () => {
        showToast('Definition deleted');
        void navigate({ to: '/events' });
      },
    });
  return (
    <Confirm
      title={`Delete “${definition.name}”?`}
      action="Delete definition"
      change={remove}
      onConfirm={confirm}
      onClose={onClose}
    >
      <p>
        The slug is never reused for another name. The next event with this name creates the
        definition again.
      </p>
    </Confirm>
  );
}

function Merge({
  definition,
  onClose,
}: {
  readonly definition: Definition;
  readonly onClose: () => void;
}) {
  const [into, setInto] = useState('');
  const list = useList<Definition>('definitions', { rows: DEFINITIONS_MAX });
  const { fetchNextPage, hasNextPage, isFetching } = list;
  useEffect(() => {
    // Load all pages (at most 2,000 definitions), so that every definition can be chosen.
    if (hasNextPage && !isFetching) void fetchNextPage();
  }, [hasNextPage, isFetching, fetchNextPage]);
  const others = list.data?.pages.flatMap(({ items }) => items) ?? [];
  const merge = useChange<void>(
    () => ({ path: `definitions/${definition.slug}/merge`, method: 'POST', body: { into } }),
    ['definitions'],
  );
  const options = others
    .filter(
      (other) =>
        other.kind === definition.kind &&
        other.slug !== definition.slug &&
        other.mergedInto === undefined &&
        !other.discarded,
    )
    .map(({ slug, name }) => ({ value: slug, label: `${isolate(name)} (${slug})` }));
  return (
    <FormDialog
      title={`Merge ${isolate(definition.name)} into another definition`}
      action="Merge"
      isDangerous
      isIncomplete={into === ''}
      change={merge}
      onSubmit={() => merge.mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    >
      <Select
        label="Merge into"
        pointer="/into"
        value={into}
        onChange={setInto}
        options={[{ value: '', label: 'Choose a definition' }, ...options]}
      />
      <p className="soft">
        Past and future events are counted under the other definition. This can’t be undone.
      </p>
    </FormDialog>
  );
}
