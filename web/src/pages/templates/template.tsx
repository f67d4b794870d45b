import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { httpStatus } from '../../api/problem.ts';
import { useChange, useRead } from '../../api/queries.ts';
import { useMay } from '../../api/roles.ts';
import type { Template } from '../../api/types.ts';
import { channelName } from '../../labels/channel-name.ts';
import { formatCount } from '../../lib/format.ts';
import { isolate } from '../../lib/text.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { useFilters } from '../../ui/filters.ts';
import { Page } from '../../ui/page.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { showToast } from '../../ui/toast.tsx';
import { TemplateEditor } from './template-editor.tsx';
import { Versions } from './versions.tsx';

const TABS = [
  { id: 'message', label: 'Message' },
  { id: 'versions', label: 'Versions' },
] as const;

export function TemplatePage() {
  const { slug = '' } = useParams({ strict: false });
  const path = `templates/${encodeURIComponent(slug)}`;
  const read = useRead<Template>(path);
  const [edition, setEdition] = useState(0);
  const filters = useFilters(['tab']);
  const tab = TABS.find(({ id }) => id === filters.get('tab'))?.id ?? 'message';
  const back = <Link to="/templates">← Templates</Link>;
  const reload = async (): Promise<void> => {
    await read.refetch();
    setEdition((before) => before + 1);
  };
  if (httpStatus(read.error) === 404)
    return (
      <Page title="Template not found" back={back}>
        <Card>
          <Empty title="There is no template with this slug" icon="search">
            It was deleted, or belongs to another application.
          </Empty>
        </Card>
      </Page>
    );
  return (
    <Page
      title={read.data?.name ?? slug}
      back={back}
      description={<Subtitle slug={slug} template={read.data} />}
      actions={
        read.data && (
          <>
            <SendTemplate template={read.data} />
            <DeleteTemplate template={read.data} />
          </>
        )
      }
    >
      <Loaded read={read} lines={6}>
        {(template) => (
          <>
            <Tabs tabs={TABS} active={tab} label="Template sections" />
            {tab === 'message' && (
              <TemplateEditor
                key={`${slug} ${edition}`}
                template={template}
                onSaved={() => undefined}
                onReload={() => void reload()}
              />
            )}
            {tab === 'versions' && <Versions path={path} slug={slug} />}
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Subtitle({
  slug,
  template,
}: {
  readonly slug: string;
  readonly template: Template | undefined;
}) {
  return (
    <span className="row">
      <code className="wrap">{slug}</code>
      {template !== undefined && (
        <span>
          {channelName(template.channel)}, version {formatCount(template.version)}
        </span>
      )}
    </span>
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
