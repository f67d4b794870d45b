import { Link, useNavigate } from '@tanstack/react-router';
import { useRead } from '../../api/queries.ts';
import type { Automation, UserRun } from '../../api/types.ts';
import { useAutomationNames } from '../../automations/use-automation-names.ts';
import { humanize } from '../../lib/format.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { timeColumn } from '../../ui/columns.tsx';
import { useFilters } from '../../ui/filters.ts';
import { List } from '../../ui/list.tsx';
import { clampProps } from '../../ui/long-text.tsx';
import { toNamedOptions } from '../../ui/options.ts';
import { Select } from '../../ui/select.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import type { Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { RunBadge } from '../automations/run-badge.tsx';
import { RunPanel } from '../automations/run-panel.tsx';
import { useAutomations } from '../automations/use-automations.ts';
import { WhyUser } from '../automations/why.tsx';

type Open = (of: string, run: string) => void;

const runColumns = (open: Open): readonly Column<UserRun>[] => [
  {
    name: 'Automation',
    cell: ({ runId, enteredAt, automation: { slug, name } }) => (
      <>
        <Button kind="plain" isSmall className="wrap" onClick={() => open(slug, runId)}>
          <bdi {...clampProps(name)}>{name}</bdi>
        </Button>
        <div className="narrowest-only soft small">
          <Time at={enteredAt} />
        </div>
      </>
    ),
  },
  { name: 'Status', width: '8rem', cell: (run) => <RunBadge run={run} /> },
  timeColumn('Entered', ({ enteredAt }) => enteredAt),
  timeColumn('Until', ({ waitsUntil, endedAt }) => endedAt ?? waitsUntil),
];

/** The automations that a person is or was in, and why they are not in another. */
export function UserAutomations({
  path,
  customUserId,
}: {
  readonly path: string;
  readonly customUserId: string;
}) {
  const navigate = useNavigate();
  const filters = useFilters(['of', 'run', 'why']);
  const [of, run] = [filters.get('of'), filters.get('run')];
  const open: Open = (slug, runId) =>
    void navigate({
      to: '.',
      search: (before: object) => ({ ...before, of: slug, run: runId }),
      replace: true,
      resetScroll: false,
    } as never);
  return (
    <>
      <Card isFlush>
        <List<UserRun>
          label="Automations"
          path={`${path}/automation-runs`}
          columns={runColumns(open)}
          rowKey={({ runId }) => runId}
          onOpen={({ runId, automation }) => open(automation.slug, runId)}
          fileName={null}
          empty={
            <Empty title="Was in no automation yet" icon="automations">
              Below you see why.
            </Empty>
          }
        />
      </Card>
      <WhyNot customUserId={customUserId} />
      {of !== '' && run !== '' && (
        <OpenedRun key={run} slug={of} runId={run} onClose={() => filters.set('run', '')} />
      )}
    </>
  );
}

function WhyNot({ customUserId }: { readonly customUserId: string }) {
  const filters = useFilters(['why']);
  const { data } = useAutomations();
  const asked = filters.get('why');
  const options = toNamedOptions(
    (data ?? []).filter(({ status }) => status !== 'draft'),
    ({ status }) => humanize(status),
  );
  return (
    <Card
      title="Why did they enter, or not?"
      description="The last 20 events or instants that could let them in, and what each became."
    >
      {data !== undefined && options.length === 0 ? (
        <p className="soft">
          No automation was activated yet. <Link to="/automations">Automations</Link>
        </p>
      ) : (
        <Select
          label="Automation"
          options={[{ value: '', label: 'Choose an automation' }, ...options]}
          {...filters.field('why')}
        />
      )}
      {asked !== '' && <Explained key={asked} slug={asked} user={customUserId} />}
    </Card>
  );
}

const pathOf = (slug: string): string => `automations/${encodeURIComponent(slug)}`;

function Explained({ slug, user }: { readonly slug: string; readonly user: string }) {
  const read = useRead<Automation>(pathOf(slug));
  return (
    <Loaded read={read}>
      {({ live, draft }) => (
        <WhyUser
          {...{ slug, user }}
          definition={live ?? draft}
          isOwnPage
          wayOf={(run) => ({ tab: 'automations', why: slug, of: slug, run })}
        />
      )}
    </Loaded>
  );
}

function OpenedRun({
  slug,
  runId,
  onClose,
}: {
  readonly slug: string;
  readonly runId: string;
  readonly onClose: () => void;
}) {
  const { names } = useAutomationNames();
  const { data } = useRead<Automation>(pathOf(slug));
  return (
    <RunPanel
      path={`${pathOf(slug)}/runs/${encodeURIComponent(runId)}`}
      title={
        <Link to="/automations/$slug" params={{ slug }} {...clampProps(data?.name ?? slug)}>
          {data?.name ?? slug}
        </Link>
      }
      definition={data?.live ?? data?.draft}
      names={names}
      onClose={onClose}
    />
  );
}
