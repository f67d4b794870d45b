import { Link, useParams } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState, type ReactNode } from 'react';
import { useChange, useList, useRead } from '../../api/queries.ts';
import { useMay } from '../../api/roles.ts';
import type { Definition } from '../../api/types.ts';
import { formatCount, humanize } from '../../lib/format.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Callout, Card, Facts } from '../../ui/card.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Form, Select, TextField } from '../../ui/field.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty, Loaded, Loading } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { showToast } from '../../ui/toast.tsx';
import { EventStream } from './event-stream.tsx';
import { readSeries } from './series.ts';

const Chart = lazy(async () => ({ default: (await import('../../ui/chart.tsx')).Chart }));

const DEFINITIONS_MAX = 500;

export function DefinitionPage() {
  const { slug = '' } = useParams({ strict: false });
  const list = useList<Definition>('definitions', { rows: DEFINITIONS_MAX });
  const { fetchNextPage, hasNextPage, isFetching } = list;
  const all = list.data?.pages.flatMap(({ items }) => items) ?? [];
  const definition = all.find((each) => each.slug === slug);
  useEffect(() => {
    // There are at most 2,000: what is not among the first is on a later page.
    if (definition === undefined && hasNextPage && !isFetching) void fetchNextPage();
  }, [definition, hasNextPage, isFetching, fetchNextPage]);
  const back = <Link to="/events">← Events</Link>;
  if (definition === undefined) {
    return (
      <Page title="Event" back={back}>
        {list.isSuccess && !hasNextPage ? (
          <Card>
            <Empty title="No definition has this slug" icon="search">
              <code>{slug}</code> is not of this application.
            </Empty>
          </Card>
        ) : (
          <Loaded read={{ ...list, data: undefined }}>{() => null}</Loaded>
        )}
      </Page>
    );
  }
  return <Known definition={definition} others={all} back={back} />;
}

function Known({ definition, others, back }: { readonly definition: Definition; readonly others: readonly Definition[]; readonly back: ReactNode }) {
  const may = useMay('changeDefinitions');
  const [asked, setAsked] = useState<'rename' | 'merge' | null>(null);
  const discard = useChange<boolean>((discarded) => ({ path: `definitions/${definition.slug}`, method: 'PATCH', body: { discarded } }), ['definitions']);
  const canChange = may && definition.mergedInto === undefined;
  return (
    <Page
      title={definition.name}
      back={back}
      description={
        <span className="row">
          <code>{definition.slug}</code> {humanize(definition.kind)}
          {definition.discarded && <Badge tone="warn">Discarded</Badge>}
        </span>
      }
      actions={
        canChange && (
          <>
            <Button onClick={() => setAsked('rename')}>Rename</Button>
            <Button onClick={() => setAsked('merge')}>Merge</Button>
            <Button isBusy={discard.isPending} onClick={() => discard.mutate(!definition.discarded, { onSuccess: () => showToast(definition.discarded ? 'It is in use again.' : 'Events of this name are dropped from now on.') })}>
              {definition.discarded ? 'Use again' : 'Discard'}
            </Button>
          </>
        )
      }
    >
      {definition.mergedInto !== undefined && (
        <Callout>
          <p>
            Merged: its events count as those of{' '}
            <Link to="/events/$slug" params={{ slug: definition.mergedInto }}>
              {definition.mergedInto}
            </Link>
            .
          </p>
        </Callout>
      )}
      <Card title="Over time">
        <Facts
          facts={[
            ['Events', definition.events === undefined ? '–' : formatCount(definition.events)],
            ['Last seen', <Time at={definition.lastReceivedAt} isRelative />],
            ['Made by', definition.origin === 'auto' ? 'Its first event' : 'Somebody, ahead of its events'],
            ['Made', <Time at={definition.createdAt} />],
          ]}
        />
        <SeriesChart slug={definition.slug} name={definition.name} />
      </Card>
      <EventStream definition={definition.slug} />
      {asked === 'rename' && <Rename definition={definition} onClose={() => setAsked(null)} />}
      {asked === 'merge' && <Merge definition={definition} others={others} onClose={() => setAsked(null)} />}
    </Page>
  );
}

function SeriesChart({ slug, name }: { readonly slug: string; readonly name: string }) {
  const read = useRead<unknown>(`definitions/${encodeURIComponent(slug)}/chart`, { everyMs: 30_000 });
  return (
    <Loaded read={read}>
      {(answer) => {
        const points = readSeries(answer);
        if (points.length < 2) return <Empty title="Too few events for a chart yet" icon="events" />;
        return (
          <Suspense fallback={<Loading />}>
            <Chart label={`Events of ${name}`} unit="events" times={points.map(({ at }) => at)} series={[{ name: 'Events', values: points.map(({ count }) => count) }]} />
          </Suspense>
        );
      }}
    </Loaded>
  );
}

function Rename({ definition, onClose }: { readonly definition: Definition; readonly onClose: () => void }) {
  const [name, setName] = useState(definition.name);
  const rename = useChange<void>(() => ({ path: `definitions/${definition.slug}`, method: 'PATCH', body: { name } }), ['definitions']);
  return (
    <Dialog title="Rename the definition" onClose={onClose}>
      <Form onSubmit={() => rename.mutate(undefined, { onSuccess: onClose })} error={rename.error}>
        <TextField label="Name" pointer="/name" value={name} onChange={setName} hint="Events are then expected with this customName; the slug stays." />
        <div className="dialog-foot">
          <Button onClick={onClose}>Close</Button>
          <Button kind="primary" type="submit" isBusy={rename.isPending}>
            Rename
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}

function Merge({ definition, others, onClose }: { readonly definition: Definition; readonly others: readonly Definition[]; readonly onClose: () => void }) {
  const [into, setInto] = useState('');
  const merge = useChange<void>(() => ({ path: `definitions/${definition.slug}/merge`, method: 'POST', body: { into } }), ['definitions']);
  const options = others
    .filter((other) => other.kind === definition.kind && other.slug !== definition.slug && other.mergedInto === undefined && !other.discarded)
    .map(({ slug, name }) => ({ value: slug, label: `${name} (${slug})` }));
  return (
    <Dialog title={`Merge ${definition.name} into another`} onClose={onClose}>
      <Form onSubmit={() => merge.mutate(undefined, { onSuccess: onClose })} error={merge.error}>
        <Select label="Into" pointer="/into" value={into} onChange={setInto} options={[{ value: '', label: 'Choose' }, ...options]} />
        <p className="soft">Its events, past and future, count as the other’s. This cannot be undone.</p>
        <div className="dialog-foot">
          <Button onClick={onClose}>Close</Button>
          <Button kind="danger" type="submit" disabled={into === ''} isBusy={merge.isPending}>
            Merge
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}
