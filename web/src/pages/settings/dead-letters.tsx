import { DEAD_LETTER_STATUSES } from '@tidings/contracts/ingest/dead-letters';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { errorMessage } from '../../api/problem.ts';
import { useChange, useRead } from '../../api/queries.ts';
import { useMay } from '../../api/roles.ts';
import type { DeadLetter, DeadLetterDetail } from '../../api/types.ts';
import { formatBytes, humanize } from '../../lib/format.ts';
import { shortId } from '../../lib/ids.ts';
import { ChoiceFilter } from '../../ui/choice-filter.tsx';
import { StatusBadge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Callout, Card, Facts } from '../../ui/card.tsx';
import { Code } from '../../ui/code.tsx';
import { timeColumn } from '../../ui/columns.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { FilterBar } from '../../ui/filter-bar.tsx';
import { useFilters } from '../../ui/filters.ts';
import { Page } from '../../ui/page.tsx';
import { List } from '../../ui/list.tsx';
import { toOptions } from '../../ui/options.ts';
import { Empty, Loaded } from '../../ui/states.tsx';
import type { Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { showToast } from '../../ui/toast.tsx';
import { explain, shownRemedy } from '../../labels/explain.ts';

export function DeadLettersPage() {
  const filters = useFilters(['status']);
  const [opened, setOpened] = useState<DeadLetter | null>(null);
  const columns: readonly Column<DeadLetter>[] = [
    {
      name: 'Record',
      cell: (deadLetter) => (
        <Button kind="plain" isSmall className="wrap" onClick={() => setOpened(deadLetter)}>
          <code className="wrap">
            {deadLetter.topic}/{deadLetter.partition}@{deadLetter.offset}
          </code>
        </Button>
      ),
    },
    { name: 'Status', width: '8rem', cell: ({ status }) => <StatusBadge status={status} /> },
    {
      name: 'Reason',
      cell: ({ errorClass, sqlState }) =>
        `${humanize(errorClass)}${sqlState === null ? '' : ` (${sqlState})`}`,
    },
    { name: 'Consumer', isMinor: true, cell: ({ consumer }) => consumer },
    { name: 'Size', isNumber: true, isMinor: true, cell: ({ size }) => formatBytes(size) },
    timeColumn('Created', ({ createdAt }) => createdAt),
  ];
  return (
    <Page
      title="Dead letters"
      description="Messages that could not be stored, kept for review with their original content."
    >
      <Card isFlush>
        <FilterBar>
          <ChoiceFilter
            label="Status"
            {...filters.field('status')}
            options={toOptions(DEAD_LETTER_STATUSES, 'All statuses')}
          />
        </FilterBar>
        <List<DeadLetter>
          label="Dead letters"
          path="dead-letters"
          query={filters.values}
          columns={columns}
          rowKey={({ id }) => id}
          onOpen={setOpened}
          everyMs={4_000}
          fileName="dead-letters.csv"
          empty={
            <Empty title="No dead letters" icon="ingest">
              All accepted messages were stored.
            </Empty>
          }
        />
      </Card>
      {opened !== null && <DeadLetterDialog deadLetter={opened} onClose={() => setOpened(null)} />}
    </Page>
  );
}

function DeadLetterDialog({
  deadLetter,
  onClose,
}: {
  readonly deadLetter: DeadLetter;
  readonly onClose: () => void;
}) {
  const mayRead = useMay('readDeadLetters');
  const may = useMay('changeDeadLetters');
  const read = useRead<DeadLetterDetail>(`dead-letters/${deadLetter.id}`, { enabled: mayRead });
  const advice = explain('deadLetterClass', deadLetter.errorClass);
  const act = useChange<'replay' | 'discard'>(
    (action) => ({ path: `dead-letters/${deadLetter.id}/${action}`, method: 'POST' }),
    ['dead-letters'],
  );
  const run = (action: 'replay' | 'discard'): void =>
    act.mutate(action, {
      onSuccess: () => {
        showToast(action === 'replay' ? 'Replay started' : 'Dead letter discarded');
        onClose();
      },
      onError: (error) => showToast(errorMessage(error), 'bad'),
    });
  return (
    <Dialog title="Dead letter" onClose={onClose} isWide>
      <Facts
        facts={[
          ['Status', <StatusBadge status={deadLetter.status} />],
          ['Reason', humanize(deadLetter.errorClass)],
          ['SQL state', <code>{deadLetter.sqlState ?? '–'}</code>],
          ['Consumer', deadLetter.consumer],
          ['Size', formatBytes(deadLetter.size)],
          ['Replays', deadLetter.replays],
          [
            'Request',
            deadLetter.requestId === null ? (
              '–'
            ) : (
              <Link to="/ingest/$requestId" params={{ requestId: deadLetter.requestId }}>
                {shortId(deadLetter.requestId)}
              </Link>
            ),
          ],
          ['Created', <Time at={deadLetter.createdAt} />],
          ['Last updated', <Time at={deadLetter.updatedAt} />],
        ]}
      />
      <Callout tone="warn">
        <p>
          {advice.summary} {shownRemedy(advice)}
        </p>
      </Callout>
      {mayRead ? (
        <Loaded read={read} lines={3}>
          {({ value, encoding }) =>
            value === null ? (
              <p className="soft">The content was discarded.</p>
            ) : (
              <Code text={value} label={encoding === 'utf8' ? 'Record' : 'Record (base64)'} />
            )
          }
        </Loaded>
      ) : (
        <p className="soft">Only owners, admins and developers can see the content.</p>
      )}
      <div className="dialog-foot">
        <Button onClick={onClose}>Close</Button>
        {may && deadLetter.status === 'waiting' && (
          <>
            <Button
              kind="danger"
              isBusy={act.isPending && act.variables === 'discard'}
              onClick={() => run('discard')}
            >
              Discard permanently
            </Button>
            <Button
              kind="primary"
              isBusy={act.isPending && act.variables === 'replay'}
              onClick={() => run('replay')}
            >
              Replay
            </Button>
          </>
        )}
      </div>
    </Dialog>
  );
}
