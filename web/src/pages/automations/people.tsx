import type { AutomationDefinition } from '@tidings/contracts/automations/definition';
import { RUN_STATUSES } from '@tidings/contracts/automations/runs';
import type { ListedRun } from '../../api/types.ts';
import { placesOf } from '../../automations/tree.ts';
import { nodeName, stepTitle, type AutomationNames } from '../../automations/words.ts';
import { useAutomationNames } from '../../automations/use-automation-names.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ChoiceFilter } from '../../ui/choice-filter.tsx';
import { timeColumn } from '../../ui/columns.tsx';
import { FilterBar } from '../../ui/filter-bar.tsx';
import { useFilters } from '../../ui/filters.ts';
import { List } from '../../ui/list.tsx';
import { clampProps, LongText } from '../../ui/long-text.tsx';
import { toOptions } from '../../ui/options.ts';
import { Empty } from '../../ui/states.tsx';
import type { Column } from '../../ui/table.tsx';
import { TextFilter } from '../../ui/text-filter.tsx';
import { RUN_LABELS, RunBadge } from './run-badge.tsx';
import { RunPanel } from './run-panel.tsx';

type Shown = { readonly definition: AutomationDefinition; readonly names: AutomationNames };

/** As often as the way of one of them. */
const LIVE_MS = 5_000;

const GONE = 'A deleted user';

const runColumns = (
  { definition, names }: Shown,
  open: (runId: string) => void,
): readonly Column<ListedRun>[] => [
  {
    name: 'Person',
    cell: ({ runId, customUserId }) => (
      <Button kind="plain" isSmall className="wrap" onClick={() => open(runId)}>
        <span {...clampProps(customUserId ?? GONE)}>{customUserId ?? GONE}</span>
      </Button>
    ),
  },
  { name: 'Status', width: '8rem', cell: (run) => <RunBadge run={run} /> },
  {
    name: 'Waits at',
    isMinor: true,
    cell: ({ node, error }) => (
      <LongText text={error ?? (node === null ? '–' : nodeName(definition, node, names))} />
    ),
  },
  timeColumn('Entered', ({ enteredAt }) => enteredAt),
  timeColumn('Until', ({ waitsUntil, endedAt }) => endedAt ?? waitsUntil),
];

/** Everyone who entered, and each one's way. */
export function People({
  path,
  definition,
}: {
  readonly path: string;
  readonly definition: AutomationDefinition;
}) {
  const { names } = useAutomationNames();
  const filters = useFilters(['status', 'node', 'customUserId']);
  const opened = useFilters(['run']);
  const run = opened.get('run');
  const open = (runId: string): void => opened.set('run', runId);
  const steps = placesOf(definition.nodes).map(({ node }) => ({
    value: node.id,
    label: stepTitle(node, names),
  }));
  return (
    <>
      <Card isFlush>
        <FilterBar>
          <ChoiceFilter
            label="Status"
            {...filters.field('status')}
            options={toOptions(RUN_STATUSES, 'All', (status) => RUN_LABELS[status].label)}
          />
          <ChoiceFilter
            label="Waits at"
            {...filters.field('node')}
            options={[{ value: '', label: 'All steps' }, ...steps]}
          />
          <TextFilter label="User ID" {...filters.field('customUserId')} />
        </FilterBar>
        <List<ListedRun>
          label="People"
          path={`${path}/runs`}
          query={filters.values}
          everyMs={LIVE_MS}
          columns={runColumns({ definition, names }, open)}
          rowKey={({ runId }) => runId}
          onOpen={({ runId }) => open(runId)}
          fileName="people.csv"
          empty={
            filters.isAny ? (
              <Empty
                title="No one matches"
                icon="search"
                action={<Button onClick={filters.clear}>Clear filters</Button>}
              />
            ) : (
              <Empty title="No one has entered yet" icon="users">
                People enter once it is active. No one enters for what came before.
              </Empty>
            )
          }
        />
      </Card>
      {run !== '' && (
        <RunPanel
          key={run}
          path={`${path}/runs/${encodeURIComponent(run)}`}
          {...{ definition, names }}
          onClose={() => opened.set('run', '')}
        />
      )}
    </>
  );
}
