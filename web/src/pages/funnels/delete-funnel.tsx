import { useNavigate } from '@tanstack/react-router';
import { httpStatus } from '../../api/problem.ts';
import { useChange, useRead } from '../../api/queries.ts';
import type { Funnel, SegmentUses } from '../../api/types.ts';
import { isolate } from '../../lib/text.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm, Dialog } from '../../ui/dialog.tsx';
import { showToast } from '../../ui/toast.tsx';
import { Uses } from '../segments/delete-segment.tsx';

const UNUSED: SegmentUses = { segments: [], templates: [], automations: [], campaigns: [] };

/** Deletes a funnel after a confirmation. While conditions name it, says which. */
export function DeleteFunnel({
  funnel: { slug, name },
  onClose,
}: {
  readonly funnel: Pick<Funnel, 'slug' | 'name'>;
  readonly onClose: () => void;
}) {
  const navigate = useNavigate();
  const remove = useChange<void>(
    () => ({ path: `funnels/${encodeURIComponent(slug)}`, method: 'DELETE' }),
    ['funnels'],
  );
  const isUsed = httpStatus(remove.error) === 409;
  const uses = useRead<Partial<SegmentUses>>(`funnels/${encodeURIComponent(slug)}/uses`, {
    enabled: isUsed,
  });
  if (isUsed)
    return (
      <Dialog title={`${isolate(name)} can’t be deleted while it is used`} onClose={onClose}>
        {uses.data === undefined ? (
          <p>{remove.error?.message}</p>
        ) : (
          <Uses uses={{ ...UNUSED, ...uses.data }} />
        )}
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
            showToast('Funnel deleted');
            void navigate({ to: '/funnels' });
          },
        })
      }
    >
      <p>Its versions stay. Creating it again under the same slug continues them.</p>
    </Confirm>
  );
}
