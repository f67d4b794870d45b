import { useState } from 'react';
import { useNavigate } from '@tanstack/react-router';
import { errorMessage } from '../../api/problem.ts';
import { useChange } from '../../api/queries.ts';
import { formatClock } from '../../lib/format.ts';
import { useNow } from '../../lib/now.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { showToast } from '../../ui/toast.tsx';
import type { DraftSaver, SaverState } from './draft-saver.ts';

type Saving = { readonly saving: DraftSaver & SaverState };

/** Whether the draft is saved, and since when; and its end. */
export function SaveState({ saving }: Saving) {
  const { stored } = saving;
  return (
    <div className="row">
      <SavedAt saving={saving} />
      {stored !== null && <DeleteDraft saving={saving} draftId={stored.draftId} />}
    </div>
  );
}

function SavedAt({ saving: { stored, isSaved, error } }: Saving) {
  const now = useNow();
  if (error !== null)
    return (
      <span className="row small" role="status">
        <Badge tone="bad">Not saved</Badge> {errorMessage(error)}
      </span>
    );
  if (!isSaved) return <span className="soft small">Saving…</span>;
  return stored === null ? null : (
    <span className="soft small">Saved {formatClock(stored.savedAt, now)}</span>
  );
}

function DeleteDraft({ saving, draftId }: Saving & { readonly draftId: string }) {
  const [isAsking, setAsking] = useState(false);
  const navigate = useNavigate();
  const remove = useChange<string>(
    (id) => ({ path: `drafts/${id}`, method: 'DELETE' }),
    ['drafts'],
  );
  const confirm = async (): Promise<void> => {
    // What is under way would find it gone.
    await saving.flush();
    remove.mutate(draftId, {
      onSuccess: () => {
        saving.drop();
        showToast('Draft deleted');
        void navigate({ to: '/campaigns', search: { status: 'draft' } as never });
      },
    });
  };
  return (
    <>
      <Button isSmall kind="plain" onClick={() => setAsking(true)}>
        Delete draft
      </Button>
      {isAsking && (
        <Confirm
          title="Delete this draft?"
          action="Delete draft"
          dismiss="Keep draft"
          change={remove}
          onConfirm={() => void confirm()}
          onClose={() => setAsking(false)}
        >
          <p>What is written here is lost, for everyone. This can’t be undone.</p>
        </Confirm>
      )}
    </>
  );
}
