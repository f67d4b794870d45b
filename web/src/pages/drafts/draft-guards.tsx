import { useNavigate } from '@tanstack/react-router';
import type { StoredDraft } from '../../api/types.ts';
import { LeaveGuard } from '../../ui/leave-guard.tsx';
import { DraftQuestion } from './draft-question.tsx';
import type { DraftSaver, SaverState } from './draft-saver.ts';

/** Keeps what is written from being lost: to another page, or to another editor who writes the same draft. */
export function DraftGuards({
  saving,
  onNewer,
}: {
  readonly saving: DraftSaver & SaverState;
  readonly onNewer: (draft: StoredDraft) => void;
}) {
  const navigate = useNavigate();
  return (
    <>
      <LeaveGuard
        isUnsaved={!saving.isSaved}
        save={async () => (await saving.flush()) === 'saved'}
      />
      <DraftQuestion
        saving={saving}
        onTheirs={onNewer}
        onLeave={() => void navigate({ to: '/campaigns', search: { status: 'draft' } as never })}
      />
    </>
  );
}
