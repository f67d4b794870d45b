import { isTimeZone, type Purpose } from '@tidings/contracts';
import type { StateChange } from '@tidings/delivery/change-states';
import { targetOf } from '@tidings/delivery/delivery-target';
import type { Prepared } from '../prepare.ts';
import type { SendPolicies } from './send-policies.ts';
import { quietUntilMs } from './quiet-hours.ts';

type Policies = Pick<SendPolicies, 'quietHours' | 'timeZone'>;

/**
 * Splits deliveries into those that may be sent now and those whose recipient sleeps, by the clock where he is, or where
 * the application is when nobody knows: these wait for the end of the quiet hours, or fail. Marketing alone has any.
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
