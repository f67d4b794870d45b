import { request } from '../../api/client.ts';
import { errorMessage } from '../../api/problem.ts';
import { invalidate } from '../../api/queries.ts';
import { queryClient } from '../../api/query-client.ts';
import { showToast } from '../../ui/toast.tsx';
import type { SendTime } from './send-time.ts';

/** Says that a campaign was accepted. What is scheduled can be taken back from there, on any page. */
export function announce(campaignId: string, when: SendTime['when']): void {
  if (when === 'now') showToast('Campaign queued');
  else showToast('Campaign scheduled', 'good', () => void takeBack(campaignId));
}

async function takeBack(campaignId: string): Promise<void> {
  try {
    await request(`campaigns/${campaignId}/cancel`, { method: 'POST' });
    showToast('Taken back. Nothing will be sent.');
  } catch (error) {
    showToast(errorMessage(error), 'bad');
  }
  await invalidate(queryClient, ['campaigns']);
}
