import { request } from '../../api/client.ts';
import { errorMessage } from '../../api/problem.ts';
import { invalidate } from '../../api/queries.ts';
import { queryClient } from '../../api/query-client.ts';
import type { Campaign, StoredDraft } from '../../api/types.ts';
import { counted } from '../../lib/format.ts';
import { showToast } from '../../ui/toast.tsx';
import type { DraftContent } from './draft-content.ts';
import type { SendTime } from './send-time.ts';

/** What is sent now begins that much later: longer than its Undo is offered, and the request takes. */
export const HOLD_SECONDS = 10;

type Sent = {
  readonly campaignId: string;
  readonly when: SendTime['when'];
  /** What was written. */
  readonly content: DraftContent;
  readonly openDraft: (draftId: string) => void;
};

/** Says that a campaign was accepted. It can be taken back from there, on any page. */
export function announce({ when, ...sent }: Sent): void {
  const text = when === 'now' ? `Sending begins in ${HOLD_SECONDS} seconds` : 'Campaign scheduled';
  showToast(text, 'good', () => void takeBack(sent));
}

/** Cancels it, and opens what was written as a draft. */
async function takeBack({ campaignId, content, openDraft }: Omit<Sent, 'when'>): Promise<void> {
  try {
    const { counts } = await request<Campaign>(`campaigns/${campaignId}/cancel`, {
      method: 'POST',
    });
    if (counts.sent > 0)
      showToast(`Canceled. ${counted(counts.sent, 'person', 'people')} got it before.`, 'bad');
    else {
      showToast('Taken back. Nothing was sent.');
      const { draftId } = await request<StoredDraft>('drafts', {
        method: 'POST',
        body: { content },
      });
      openDraft(draftId);
    }
  } catch (error) {
    showToast(errorMessage(error), 'bad');
  }
  await invalidate(queryClient, ['campaigns', 'drafts']);
}
