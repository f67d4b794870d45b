import { useNavigate } from '@tanstack/react-router';
import { errorMessage } from '../../api/problem.ts';
import { useChange } from '../../api/queries.ts';
import { useMay } from '../../api/roles.ts';
import type { Campaign, StoredDraft } from '../../api/types.ts';
import { Button } from '../../ui/button.tsx';
import { showToast } from '../../ui/toast.tsx';

/** Opens a new draft that says what the campaign said, to the same people. */
export function Duplicate({
  campaignId,
  isSmall = false,
}: Pick<Campaign, 'campaignId'> & { readonly isSmall?: boolean }) {
  const navigate = useNavigate();
  const copy = useChange<string, StoredDraft>(
    (id) => ({ path: 'drafts', method: 'POST', body: { campaignId: id } }),
    ['drafts'],
  );
  if (!useMay('changeDrafts')) return null;
  return (
    <Button
      isSmall={isSmall}
      isBusy={copy.isPending}
      onClick={() =>
        copy.mutate(campaignId, {
          onSuccess: ({ draftId }) =>
            void navigate({ to: '/compose', search: { draft: draftId } as never }),
          onError: (error) => showToast(errorMessage(error), 'bad'),
        })
      }
    >
      Duplicate
    </Button>
  );
}
