import { Link, useNavigate } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { useChange, useRead } from '../../api/queries.ts';
import { useMay } from '../../api/roles.ts';
import type { Segment, SegmentUses } from '../../api/types.ts';
import { shortId } from '../../lib/ids.ts';
import { isolate } from '../../lib/text.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm, Dialog } from '../../ui/dialog.tsx';
import { Loaded } from '../../ui/states.tsx';
import { showToast } from '../../ui/toast.tsx';

type Named = Pick<Segment, 'slug' | 'name'>;

/** Deletes a segment after a confirmation. While something uses it, says what does instead. */
export function DeleteSegment({ segment }: { readonly segment: Named }) {
  const [isOpen, setOpen] = useState(false);
  if (!useMay('changeSegments')) return null;
  return (
    <>
      <Button kind="danger" onClick={() => setOpen(true)}>
        Delete
      </Button>
      {isOpen && <DeleteDialog segment={segment} onClose={() => setOpen(false)} />}
    </>
  );
}

type DialogProps = { readonly segment: Named; readonly onClose: () => void };

function DeleteDialog({ segment: { slug, name }, onClose }: DialogProps) {
  const path = `segments/${encodeURIComponent(slug)}`;
  const navigate = useNavigate();
  const read = useRead<SegmentUses>(`${path}/uses`);
  const remove = useChange<void>(() => ({ path, method: 'DELETE' }), ['segments']);
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
          {(used) => <Uses uses={used} />}
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
            showToast('Segment deleted');
            void navigate({ to: '/segments' });
          },
        })
      }
    >
      <p>Its versions stay. Creating it again under the same slug continues them.</p>
    </Confirm>
  );
}

const isUsed = ({ segments, templates, automations, campaigns }: SegmentUses): boolean =>
  segments.length + templates.length + automations.length + campaigns.length > 0;

/** What names a segment or a funnel. */
export function Uses({
  uses: { segments, templates, automations, campaigns },
}: {
  readonly uses: SegmentUses;
}) {
  return (
    <div className="stack tight">
      <UseList title="Conditions of segments. Change these first:">
        {segments.map(({ slug, name }) => (
          <li key={slug} className="wrap">
            <Link to="/segments/$slug" params={{ slug }} dir="auto">
              {name}
            </Link>
          </li>
        ))}
      </UseList>
      <UseList title="Variants of templates. Change these first:">
        {templates.map(({ slug, name }) => (
          <li key={slug} className="wrap">
            <Link to="/templates/$slug" params={{ slug }} dir="auto">
              {name}
            </Link>
          </li>
        ))}
      </UseList>
      <UseList title="Automations. Change these first:">
        {automations.map(({ slug, name }) => (
          <li key={slug} className="wrap">
            <Link to="/automations/$slug" params={{ slug }} dir="auto">
              {name}
            </Link>
          </li>
        ))}
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
