import type { NamedCampaignTemplate } from '@tidings/contracts/push/templates';
import { Link } from '@tanstack/react-router';
import { formatCount } from '../../lib/format.ts';
import { clampProps } from '../../ui/long-text.tsx';
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
export function TemplateWithSlug({ named }: { readonly named: Named }) {
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

export function useTemplateName(slug: string | null): string {
  const names = useTemplateNames(slug !== null);
  return slug === null ? '' : (names.get(slug) ?? slug);
}

export const keyOf = ({ slug, version, share }: Named): string => `${slug}@${version} ${share}`;
