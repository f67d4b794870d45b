import { Link, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useChange, useRead } from '../api/queries.ts';
import type { Uses } from '../api/types.ts';
import { shortId } from '../lib/ids.ts';
import { isolate } from '../lib/text.ts';
import { Button } from '../ui/button.tsx';
import { Confirm, Dialog } from '../ui/dialog.tsx';
import { Loaded } from '../ui/states.tsx';
import { showToast } from '../ui/toast.tsx';

const TITLES = { segments: 'Segment', funnels: 'Funnel' } as const;

/** Deletes what conditions name, after a confirmation. While something uses it, says what does instead. */
export function DeleteUnused({
  of,
  named: { slug, name },
  onClose,
}: {
  readonly of: keyof typeof TITLES;
  readonly named: { readonly slug: string; readonly name: string };
  readonly onClose: () => void;
}) {
  const path = `${of}/${encodeURIComponent(slug)}`;
  const navigate = useNavigate();
  const read = useRead<Uses>(`${path}/uses`);
  const remove = useChange<void>(() => ({ path, method: 'DELETE' }), [of]);
  const uses = read.data;
  if (uses === undefined || isUsed(uses))
    return (
      <Dialog
        title={
          uses === undefined
            ? `Delete ${isolate(name)}?`
            : `${isolate(name)} can’t be deleted while it is used`
        }
        onClose={onClose}
      >
        <Loaded read={read} lines={2}>
          {(used) => <UseLists uses={used} />}
        </Loaded>
        <div className="dialog-foot">
          <Button onClick={onClose}>Close</Button>
        </div>
      </Dialog>
    );
  return (
    <Confirm
      title={`Delete ${isolate(name)}?`}
      action="Delete"
      change={remove}
      onClose={onClose}
      onConfirm={() =>
        remove.mutate(undefined, {
          onSuccess: () => {
            showToast(`${TITLES[of]} deleted`);
            void navigate({ to: `/${of}` as const });
          },
        })
      }
    >
      <p>Its versions stay. Creating it again under the same slug continues them.</p>
    </Confirm>
  );
}

const isUsed = ({ segments, templates, automations, campaigns }: Uses): boolean =>
  segments.length + templates.length + automations.length + campaigns.length > 0;

/** Lists what has a name as links. */
const linkTo = (to: '/segments/$slug' | '/templates/$slug' | '/automations/$slug') =>
  function listOne({ slug, name }: Uses['segments'][number]) {
    return (
      <li key={slug} className="wrap">
        <Link to={to} params={{ slug }} dir="auto">
          {name}
        </Link>
      </li>
    );
  };

/** What names a segment or a funnel. */
function UseLists({
  uses: { segments, templates, automations, campaigns },
}: {
  readonly uses: Uses;
}) {
  return (
    <div className="stack tight">
      <UseList title="Conditions of segments. Change these first:">
        {segments.map(linkTo('/segments/$slug'))}
      </UseList>
      <UseList title="Variants of templates. Change these first:">
        {templates.map(linkTo('/templates/$slug'))}
      </UseList>
      <UseList title="Automations. Change these first:">
        {automations.map(linkTo('/automations/$slug'))}
      </UseList>
      <UseList title="Campaigns that have not begun. Wait, or cancel these first:">
        {campaigns.map((campaignId) => (
          <li key={campaignId}>
            <Link to="/campaigns/$campaignId" params={{ campaignId }}>
              <code title={campaignId}>{shortId(campaignId)}</code>
            </Link>
          </li>
        ))}
      </UseList>
    </div>
  );
}

function UseList({
  title,
  children,
}: {
  readonly title: string;
  readonly children: readonly ReactNode[];
}) {
  if (children.length === 0) return null;
  return (
    <div>
      <p>{title}</p>
      <ul className="stack tight">{children}</ul>
    </div>
  );
}
