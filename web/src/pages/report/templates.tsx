import type { NamedCampaignTemplate } from '@tidings/contracts/push/templates';
import { Link } from '@tanstack/react-router';
import { errorMessage } from '../../api/problem.ts';
import { useChange } from '../../api/queries.ts';
import type { ComparedTemplate, TemplateComparison } from '../../api/types.ts';
import { formatCount, formatShare } from '../../lib/format.ts';
import { Button } from '../../ui/button.tsx';
import { Callout, Card } from '../../ui/card.tsx';
import { clampProps } from '../../ui/long-text.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { useTemplateNames } from '../templates/use-templates.ts';

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
          <TemplateWithSlug named={template} />
          {templates.length > 1 && (
            <div className="soft small">share {formatCount(template.share)}</div>
          )}
        </li>
      ))}
    </ul>
  );
}

/** Its name and version in a line; a deleted one has only its slug. */
export function TemplateName({ named }: { readonly named: Pick<Named, 'slug' | 'version'> }) {
  const { slug, version } = named;
  const name = useTemplateName(slug);
  if (slug === null) return 'None: the message itself is personalised';
  return (
    <span className="wrap">
      <Link to="/templates/$slug" params={{ slug }} title={slug} {...clampProps(name)}>
        {name}
      </Link>
      {version !== null && (
        <>
          {' '}
          <span className="soft nowrap">version {formatCount(version)}</span>
        </>
      )}
    </span>
  );
}

/** The slug below it: templates may have equal names. */
function TemplateWithSlug({ named }: { readonly named: Named }) {
  const { slug } = named;
  const name = useTemplateName(slug);
  return (
    <>
      <TemplateName named={named} />
      {slug !== null && name !== slug && (
        <div className="soft small">
          <code className="wrap">{slug}</code>
        </div>
      )}
    </>
  );
}

function useTemplateName(slug: string | null): string {
  const names = useTemplateNames(slug !== null);
  return slug === null ? '' : (names.get(slug) ?? slug);
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
  { name: 'Template', cell: (template) => <TemplateWithSlug named={template} /> },
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
