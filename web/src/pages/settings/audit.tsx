import { useSession } from '../../api/session.ts';
import type { AuditEntry } from '../../api/types.ts';
import { stringifyExactJson } from '../../lib/exact-json.ts';
import { ChoiceFilter } from '../../ui/choice-filter.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { FilterBar } from '../../ui/filter-bar.tsx';
import { useFilters } from '../../ui/filters.ts';
import { List } from '../../ui/list.tsx';
import { LongText } from '../../ui/long-text.tsx';
import { Empty } from '../../ui/states.tsx';
import type { Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { actorName } from '../../labels/actor-name.ts';
import { AUDIT_ACTIONS, auditSentence } from './audit-sentences.ts';
import { SettingsPage } from './settings-page.tsx';

const COLUMNS: readonly Column<AuditEntry>[] = [
  { name: 'Time', width: '11rem', cell: ({ at }) => <Time at={at} /> },
  {
    name: 'Who',
    cell: ({ actor, address }) => (
      <>
        <span className="wrap" dir="auto">
          {actorName(actor)}
        </span>
        {address !== null && (
          <div className="small soft">
            from <code className="wrap">{address}</code>
          </div>
        )}
      </>
    ),
  },
  {
    name: 'What',
    width: '16rem',
    cell: ({ action, target, detail }) => (
      <>
        <LongText text={auditSentence(action, { target, detail })} />
        <Details values={{ ...target, ...detail, request: action }} />
      </>
    ),
  },
  {
    name: 'Result',
    isMinor: true,
    width: '8rem',
    cell: ({ status }) => <ResultBadge status={status} />,
  },
];

/** What the entry has besides, one line per value, on request. */
function Details({ values }: { readonly values: Readonly<Record<string, unknown>> }) {
  return (
    <details className="small">
      <summary>Details</summary>
      {Object.entries(values).map(([name, value]) => (
        <div key={name}>
          <span className="soft wrap">{name}</span>{' '}
          <LongText text={formatDetail(value)} isCode={!isText(value)} />
        </div>
      ))}
    </details>
  );
}

const isText = (value: unknown): value is string => typeof value === 'string';

function formatDetail(value: unknown): string {
  if (isText(value)) return value;
  return Array.isArray(value) && value.every(isText) ? value.join(', ') : stringifyExactJson(value);
}

function ResultBadge({ status }: Pick<AuditEntry, 'status'>) {
  if (status === null) return <Badge tone="warn">Unknown</Badge>;
  return status < 400 ? <Badge>Done</Badge> : <Badge tone="bad">Rejected</Badge>;
}

export function AuditPage() {
  const filters = useFilters(['application', 'action']);
  const { data: session } = useSession();
  const applications = session?.applications ?? [];
  return (
    <SettingsPage title="Audit log" description="Changes, exports and failed sign-ins.">
      <Card isFlush>
        <FilterBar>
          <ChoiceFilter
            label="Application"
            {...filters.field('application')}
            options={[
              { value: '', label: 'All' },
              ...applications.map(({ applicationId, name }) => ({
                value: applicationId,
                label: name,
              })),
            ]}
          />
          <ChoiceFilter
            label="What"
            {...filters.field('action')}
            options={[{ value: '', label: 'All' }, ...AUDIT_ACTIONS]}
          />
        </FilterBar>
        <List<AuditEntry>
          label="Audit log"
          path="audit"
          query={filters.values}
          rowKey={({ id }) => id}
          fileName="audit.csv"
          columns={COLUMNS}
          empty={
            filters.isAny ? (
              <Empty
                title="No matching entries"
                icon="search"
                action={<Button onClick={filters.clear}>Clear filters</Button>}
              />
            ) : (
              <Empty title="No changes yet" icon="settings" />
            )
          }
        />
      </Card>
    </SettingsPage>
  );
}
