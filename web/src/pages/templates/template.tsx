import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useChange } from '../../api/queries.ts';
import { useMay } from '../../api/roles.ts';
import type { Template } from '../../api/types.ts';
import { channelName } from '../../labels/channel-name.ts';
import { formatCount } from '../../lib/format.ts';
import { isolate } from '../../lib/text.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { showToast } from '../../ui/toast.tsx';
import { TemplateEditor } from './template-editor.tsx';
import { Versions } from './versions.tsx';
import { NamedPage } from '../../ui/named-page.tsx';

const TABS = [
  { id: 'message', label: 'Message' },
  { id: 'versions', label: 'Versions' },
] as const;

export function TemplatePage() {
  const { slug = '' } = useParams({ strict: false });
  const path = `templates/${encodeURIComponent(slug)}`;
  return (
    <NamedPage<Template, (typeof TABS)[number]['id']>
      noun="template"
      slug={slug}
      path={path}
      back={<Link to="/templates">← Templates</Link>}
      tabs={TABS}
      describe={({ channel, version }) =>
        `${channelName(channel)}, version ${formatCount(version)}`
      }
      actions={(template) => (
        <>
          <SendTemplate template={template} />
          <DeleteTemplate template={template} />
        </>
      )}
    >
      {({ named, tab, edition, reload }) =>
        tab === 'message' ? (
          <TemplateEditor
            key={`${slug} ${edition}`}
            template={named}
            onSaved={() => undefined}
            onReload={reload}
          />
        ) : (
          <Versions path={path} slug={slug} />
        )
      }
    </NamedPage>
  );
}

function SendTemplate({ template: { slug, channel } }: { readonly template: Template }) {
  if (!useMay('compose')) return null;
  return (
    <Link to="/compose" search={{ template: slug, channel }} className={buttonClass()}>
      Send it
    </Link>
  );
}

function DeleteTemplate({ template: { slug, name } }: { readonly template: Template }) {
  const [isConfirming, setConfirming] = useState(false);
  const navigate = useNavigate();
  const remove = useChange<void>(
    () => ({ path: `templates/${encodeURIComponent(slug)}`, method: 'DELETE' }),
    ['templates'],
  );
  if (!useMay('changeTemplates')) return null;
  return (
    <>
      <Button kind="danger" onClick={() => setConfirming(true)}>
        Delete
      </Button>
      {isConfirming && (
        <Confirm
          title={`Delete ${isolate(name)}?`}
          action="Delete"
          change={remove}
          onClose={() => setConfirming(false)}
          onConfirm={() =>
            remove.mutate(undefined, {
              onSuccess: () => {
                showToast('Template deleted');
                void navigate({ to: '/templates' });
              },
            })
          }
        >
          <p>
            Campaigns that were sent with it keep their version. Its versions stay. Creating it
            again under the same slug continues them.
          </p>
        </Confirm>
      )}
    </>
  );
}
