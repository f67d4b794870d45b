import type { NamedCampaignTemplate } from '@tidings/contracts';
import { Link } from '@tanstack/react-router';
import { errorMessage } from '../../api/problem.ts';
import { useChange } from '../../api/queries.ts';
import type { ComparedTemplate, TemplateComparison } from '../../api/types.ts';
import { formatCount, formatShare } from '../../lib/format.ts';
import { Button } from '../../ui/button.tsx';
import { Callout, Card } from '../../ui/card.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';

type Named = NamedCampaignTemplate;

/** The templates that a campaign was sent with. */
export function UsedTemplates({
  templates,
}: {
  readonly templates: readonly NamedCampaignTemplate[];
}) {
  return (
    <ul className="stack tight">
      {templates.map((template) => (
        <li key={keyOf(template)} className="wrap">
          <TemplateName named={template} />
          {templates.length > 1 && (
            <span className="soft">, share {formatCount(template.share)}</span>
          )}
        </li>
      ))}
    </ul>
  );
}

export function TemplateName({
  named: { slug, version },
}: {
  readonly named: Pick<Named, 'slug' | 'version'>;
}) {
  if (slug === null) return 'None: the message itself is personalised';
  return (
    <span className="wrap">
      <Link to="/templates/$slug" params={{ slug }}>
        {slug}
      </Link>
      {version !== null && <span className="soft"> version {formatCount(version)}</span>}
    </span>
  );
}

const keyOf = ({ slug, version, share }: Named): string => `${slug}@${version} ${share}`;

const countColumn = (
  name: string,
  count: (counts: ComparedTemplate['counts']) => number,
  width: `${number}rem` = '7rem',
): Column<ComparedTemplate> => ({
  name,
  isNumber: true,
  isMinor: true,
  width,
  cell: ({ counts }) => (
    <>
      <strong>{formatCount(count(counts))}</strong>
      <div className="soft small">{formatShare(count(counts), counts.recipients)}</div>
    </>
  ),
});

const COLUMNS: readonly Column<ComparedTemplate>[] = [
  { name: 'Template', cell: (template) => <TemplateName named={template} /> },
  { name: 'Share', isNumber: true, width: '5rem', cell: ({ share }) => formatCount(share) },
  {
    name: 'Recipients',
    isNumber: true,
    width: '7rem',
    cell: ({ counts }) => formatCount(counts.recipients),
  },
  countColumn('Successful', ({ successful }) => successful),
  countColumn('Opened', ({ opened }) => opened),
  countColumn('Clicked', ({ clicked }) => clicked),
  countColumn('Failed', ({ failed, notReachable }) => failed - notReachable),
  countColumn('Not reachable', ({ notReachable }) => notReachable, '9rem'),
];

/** The outcomes of the templates that split the recipients between them. The answer reads every delivery: on demand. */
export function ComparedTemplates({ campaignId }: { readonly campaignId: string }) {
  const compare = useChange<void, TemplateComparison>(
    () => ({ path: `campaigns/${campaignId}/templates` }),
    [],
  );
  const { data, error, isPending } = compare;
  return (
    <Card
      title="Compare templates"
      description="Each recipient is assigned one of them. Percentages are of the recipients of a template."
      actions={
        <Button isBusy={isPending} onClick={() => compare.mutate()}>
          {data === undefined ? 'Count outcomes' : 'Count again'}
        </Button>
      }
      isFlush={data !== undefined}
    >
      <div role="status">
        {error !== null ? (
          <Callout tone="bad">{errorMessage(error)}</Callout>
        ) : (
          data === undefined && <p className="soft">Not counted yet.</p>
        )}
      </div>
      {data !== undefined && (
        <>
          <Table<ComparedTemplate>
            label="Outcomes by template"
            columns={COLUMNS}
            rows={data.items}
            rowKey={keyOf}
          />
          <div className="table-foot">
            <span>
              Counted <Time at={data.asOf} />
            </span>
          </div>
        </>
      )}
    </Card>
  );
}
