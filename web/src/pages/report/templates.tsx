import type { Channel } from '@tidings/contracts/channels/channels';
import { computeReach } from '@tidings/contracts/push/campaign-reach';
import { isReported } from '@tidings/contracts/push/campaign-result';
import type { NamedCampaignTemplate } from '@tidings/contracts/push/templates';
import { Link } from '@tanstack/react-router';
import { errorMessage } from '../../api/problem.ts';
import { useChange } from '../../api/queries.ts';
import type { Campaign, ComparedTemplate, TemplateComparison } from '../../api/types.ts';
import { formatCount, formatShare } from '../../lib/format.ts';
import { Button } from '../../ui/button.tsx';
import { Callout, Card } from '../../ui/card.tsx';
import { clampProps } from '../../ui/long-text.tsx';
import { outcomeLabels } from '../../ui/outcome-bar.tsx';
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

type Counts = ComparedTemplate['counts'];

const countColumn = (
  name: string,
  count: (counts: Counts) => number,
  {
    width = '7rem',
    of = ({ recipients }) => recipients,
  }: { readonly width?: `${number}rem`; readonly of?: (counts: Counts) => number } = {},
): Column<ComparedTemplate> => ({
  name,
  isNumber: true,
  isMinor: true,
  width,
  cell: ({ counts }) => (
    <>
      <strong>{formatCount(count(counts))}</strong>
      <div className="soft small">{formatShare(count(counts), of(counts))}</div>
    </>
  ),
});

/** Opens and clicks are shares of what the report calls delivered, else sent. */
function listColumns(channel: Channel): readonly Column<ComparedTemplate>[] {
  const of = ({ successful, delivered }: Counts): number =>
    computeReach(channel, { sent: successful, delivered }).base;
  return [
    { name: 'Template', cell: (template) => <TemplateWithSlug named={template} /> },
    { name: 'Share', isNumber: true, width: '5rem', cell: ({ share }) => formatCount(share) },
    {
      name: 'Recipients',
      isNumber: true,
      width: '7rem',
      cell: ({ counts }) => formatCount(counts.recipients),
    },
    countColumn(outcomeLabels(channel).successful, ({ successful }) => successful),
    ...(isReported(channel, 'opened')
      ? [countColumn('Opened', ({ opened }) => opened, { of })]
      : []),
    ...(isReported(channel, 'clicked')
      ? [countColumn('Clicked', ({ clicked }) => clicked, { of })]
      : []),
    countColumn('Failed', ({ failed, notReachable }) => failed - notReachable),
    countColumn('Not reachable', ({ notReachable }) => notReachable, { width: '9rem' }),
  ];
}

/** The outcomes of the templates that split the recipients between them. The answer reads every delivery: on demand. */
export function ComparedTemplates({
  campaign: { campaignId, channel },
}: {
  readonly campaign: Pick<Campaign, 'campaignId' | 'channel'>;
}) {
  const compare = useChange<void, TemplateComparison>(
    () => ({ path: `campaigns/${campaignId}/templates` }),
    [],
  );
  const { data, error, isPending } = compare;
  return (
    <Card
      title="Compare templates"
      description="Each recipient is assigned one of them. Opens and clicks are shares of the delivered, or of the sent where no delivery is reported; other percentages of a template’s recipients."
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
            columns={listColumns(channel)}
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
