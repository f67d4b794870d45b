import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useChange } from '../../api/queries.ts';
import { useMay } from '../../api/roles.ts';
import type { Block } from '../../api/types.ts';
import { isolate } from '../../lib/text.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm, Dialog } from '../../ui/dialog.tsx';
import { showToast } from '../../ui/toast.tsx';
import { BLOCK_VIEW } from './block-list.tsx';
import { TemplateLinks } from './used-by.tsx';

/** Deletes a block after a confirmation. While templates use it, says which ones instead. */
export function DeleteBlock({ block: { slug, name, usedBy } }: { readonly block: Block }) {
  const [isOpen, setOpen] = useState(false);
  const navigate = useNavigate();
  const remove = useChange<void>(
    () => ({ path: `blocks/${encodeURIComponent(slug)}`, method: 'DELETE' }),
    ['blocks'],
  );
  if (!useMay('changeBlocks')) return null;
  const close = (): void => setOpen(false);
  return (
    <>
      <Button kind="danger" onClick={() => setOpen(true)}>
        Delete
      </Button>
      {isOpen && usedBy.length > 0 && (
        <Dialog title={`${isolate(name)} can’t be deleted while it is used`} onClose={close}>
          <p>Templates use it. Take it out of these first:</p>
          <TemplateLinks slugs={usedBy} />
          <div className="dialog-foot">
            <Button onClick={close}>Close</Button>
          </div>
        </Dialog>
      )}
      {isOpen && usedBy.length === 0 && (
        <Confirm
          title={`Delete ${isolate(name)}?`}
          action="Delete"
          change={remove}
          onClose={close}
          onConfirm={() =>
            remove.mutate(undefined, {
              onSuccess: () => {
                showToast('Block deleted');
                void navigate({ to: '/templates', search: { show: BLOCK_VIEW } as never });
              },
            })
          }
        >
          <p>Its versions stay. Creating it again under the same API name continues them.</p>
        </Confirm>
      )}
    </>
  );
}
