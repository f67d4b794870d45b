import type { CampaignToSend } from '@tidings/delivery/campaigns-to-send';
import { type StateChange, targetOf } from '@tidings/delivery/change-states';
import type { ClaimedDelivery } from '@tidings/delivery/claims';
import type { Database } from '@tidings/postgres/database';
import { askUsers } from '@tidings/segments/ask-users';
import { audienceCondition } from '@tidings/segments/audience';
import { selectCustomUserIds } from '@tidings/segments/members';
import { readConditionContext } from '@tidings/segments/segments';

/**
 * Asks the condition of a campaign with `recheck` again, for these recipients. Deliveries to users
 * who left its segment are settled without an attempt. `timed_out`: Postgres did not finish in time.
 */
export async function recheckSegment(
  db: Database,
  { applicationId, recheck }: Pick<CampaignToSend, 'applicationId' | 'recheck'>,
  claimed: readonly ClaimedDelivery[],
): Promise<
  | { readonly staying: readonly ClaimedDelivery[]; readonly left: readonly StateChange[] }
  | 'timed_out'
> {
  if (recheck === null || recheck.condition === null) return { staying: claimed, left: [] };
  const condition = audienceCondition(recheck.condition, recheck.exclude?.condition ?? null);
  const ids = [...new Set(claimed.map(({ customUserId }) => customUserId))];
  const answer = await askUsers(db, async (sql, now) => {
    const context = await readConditionContext(sql, applicationId);
    return new Set(await selectCustomUserIds(sql, { context, condition, now }, ids));
  });
  if (answer === 'timed_out') return answer;
  // A deleted user is reported as such.
  const isStaying = ({ customUserId, isUserGone }: ClaimedDelivery): boolean =>
    isUserGone === true || answer.has(customUserId);
  return {
    staying: claimed.filter(isStaying),
    left: claimed
      .filter((delivery) => !isStaying(delivery))
      .map((delivery) => ({
        ...targetOf(delivery),
        fence: delivery.fence,
        state: 'failed',
        reason: 'left_segment',
      })),
  };
}
