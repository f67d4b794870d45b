import { useState, type ReactNode } from 'react';
import { httpStatus } from '../api/problem.ts';
import { useRead } from '../api/queries.ts';
import { Card } from './card.tsx';
import { useFilters } from './filters.ts';
import { Page } from './page.tsx';
import { Empty, Loaded } from './states.tsx';
import { Tabs, type Tab } from './tabs.tsx';

type Shown<T, Id> = {
  readonly named: T;
  readonly tab: Id;
  /** Another one after each reading by `reload`: the key of an editor, which then begins anew. */
  readonly edition: number;
  readonly reload: () => void;
};

/** The page of one thing that is kept under a slug, with its parts as tabs. */
export function NamedPage<T extends { readonly name: string }, Id extends string>({
  noun,
  slug,
  path,
  back,
  tabs,
  keeps = [],
  describe,
  actions,
  children,
}: {
  /** What it is: `template`. */
  readonly noun: string;
  readonly slug: string;
  readonly path: string;
  readonly back: ReactNode;
  readonly tabs: readonly (Tab & { readonly id: Id })[];
  /** Names in the address that stay from tab to tab. */
  readonly keeps?: readonly string[];
  /** Stands after the slug. */
  readonly describe?: (named: T) => ReactNode;
  readonly actions: (named: T) => ReactNode;
  readonly children: (shown: Shown<T, Id>) => ReactNode;
}) {
  const read = useRead<T>(path);
  const [edition, setEdition] = useState(0);
  const filters = useFilters(['tab']);
  const tab = tabs.find(({ id }) => id === filters.get('tab')) ?? tabs[0];
  const title = `${noun.charAt(0).toUpperCase()}${noun.slice(1)}`;
  const reload = async (): Promise<void> => {
    await read.refetch();
    setEdition((before) => before + 1);
  };
  if (httpStatus(read.error) === 404)
    return (
      <Page title={`${title} not found`} back={back}>
        <Card>
          <Empty title={`There is no ${noun} with this slug`} icon="search">
            It was deleted, or belongs to another application.
          </Empty>
        </Card>
      </Page>
    );
  return (
    <Page
      title={read.data?.name ?? slug}
      back={back}
      description={
        <span className="row">
          <code className="wrap">{slug}</code>
          {read.data && <span>{describe?.(read.data)}</span>}
        </span>
      }
      actions={read.data && actions(read.data)}
    >
      <Loaded read={read} lines={6}>
        {(named) =>
          tab && (
            <>
              <Tabs tabs={tabs} active={tab.id} label={`${title} sections`} keeps={keeps} />
              {children({ named, tab: tab.id, edition, reload: () => void reload() })}
            </>
          )
        }
      </Loaded>
    </Page>
  );
}
