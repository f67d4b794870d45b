import type { Purpose } from '@tidings/contracts/push/purposes';
import { isTimeZone } from '@tidings/contracts/time-zones';
import { type StateChange, targetOf } from '@tidings/delivery/change-states';
import { quietUntilMs } from '@tidings/delivery/quiet-hours';
import type { Prepared } from '../prepare.ts';
import type { SendPolicies } from './send-policies.ts';

type Policies = Pick<SendPolicies, 'quietHours' | 'timeZone'>;

/**
 * Splits marketing deliveries into those to send now and those in quiet hours, which are delayed
 * until the end or fail. The time zone is the recipient's; if unknown, the application's. Other
 * purposes have no quiet hours.
 */
export function holdForQuietHours(
  deliveries: readonly Prepared[],
  {
    purpose,
    policies: { quietHours, timeZone },
    now,
  }: { readonly purpose: Purpose; readonly policies: Policies; readonly now: number },
): { readonly open: readonly Prepared[]; readonly changes: readonly StateChange[] } {
  if (purpose !== 'marketing' || quietHours === null) return { open: deliveries, changes: [] };
  const open: Prepared[] = [];
  const changes: StateChange[] = [];
  for (const prepared of deliveries) {
    const { fence, timeZone: own } = prepared.delivery;
    const claim = { ...targetOf(prepared.delivery), fence };
    const untilMs = quietUntilMs(now, quietHours, own !== null && isTimeZone(own) ? own : timeZone);
    if (untilMs === null) open.push(prepared);
    else if (quietHours.action === 'drop')
      changes.push({ ...claim, state: 'failed', reason: 'quiet_hours' });
    else
      changes.push({ ...claim, state: 'pending', reason: 'quiet_hours', delayMs: untilMs - now });
  }
  return { open, changes };
}
