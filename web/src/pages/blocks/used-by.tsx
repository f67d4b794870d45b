import { Link } from '@tanstack/react-router';
import type { Block } from '../../api/types.ts';
import { counted } from '../../lib/format.ts';
import { Card } from '../../ui/card.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { useTemplateNames } from '../templates/use-templates.ts';

/** The templates that use a block, or how one begins to. */
export function UsedBy({ block: { slug, usedBy } }: { readonly block: Block }) {
  const tag = `{% block "${slug}" %}`;
  return (
    <Card
      title={
        usedBy.length === 0
          ? 'Not used yet'
          : `Used by ${counted(usedBy.length, 'template', 'templates')}`
      }
      description="Saving the block gives each of them a new version. Campaigns that were sent or scheduled before keep theirs."
    >
      <TemplateLinks slugs={usedBy} />
      <p className="row small wrap">
        <span className="soft">In a template:</span> <code dir="ltr">{tag}</code>
        <CopyButton text={tag} label="the tag" />
      </p>
    </Card>
  );
}

export function TemplateLinks({ slugs }: { readonly slugs: readonly string[] }) {
  const names = useTemplateNames(slugs.length > 0);
  if (slugs.length === 0) return null;
  return (
    <ul className="stack tight">
      {slugs.map((slug) => (
        <li key={slug} className="wrap">
          <Link to="/templates/$slug" params={{ slug }} title={slug} dir="auto">
            {names.get(slug) ?? slug}
          </Link>
        </li>
      ))}
    </ul>
  );
}
