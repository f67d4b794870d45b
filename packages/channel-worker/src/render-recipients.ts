import type { CampaignToSend } from '@tidings/delivery/campaigns-to-send';
import { targetOf, type StateChange } from '@tidings/delivery/change-states';
import { Counter } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import { renderCampaign } from '@tidings/templates/render-campaign';
import { RenderFault } from '@tidings/templates/render-fault';
import type { Prepared } from './prepare.ts';

const templateErrorsTotal = new Counter({
  name: 'tidings_template_errors_total',
  help: 'Messages that could not be rendered for their recipient, by fault.',
  labelNames: ['channel', 'code'] as const,
});

/**
 * Renders the messages of a personalised campaign, from the profiles as they are now: each attempt
 * renders anew. Recipients whose message cannot be rendered are settled without an attempt.
 * `timed_out`: Postgres did not finish the conditions of variants in time.
 */
export async function renderRecipients(
  { db }: { readonly db: Database },
  { templates, ...campaign }: CampaignToSend,
  ready: readonly Prepared[],
): Promise<
  { readonly open: readonly Prepared[]; readonly changes: readonly StateChange[] } | 'timed_out'
> {
  if (templates === null || ready.length === 0) return { open: ready, changes: [] };
  const ids = [...new Set(ready.map(({ delivery }) => delivery.customUserId))];
  const rendered = await renderCampaign(db, { ...campaign, templates }, ids);
  if (rendered === 'timed_out') return rendered;
  const open: Prepared[] = [];
  const changes: StateChange[] = [];
  for (const prepared of ready) {
    const { delivery } = prepared;
    const result = rendered.get(delivery.customUserId)?.message ?? null;
    if (result === null || result instanceof RenderFault) {
      if (result !== null)
        templateErrorsTotal.inc({ channel: campaign.channel, code: result.code });
      changes.push({ ...targetOf(delivery), fence: delivery.fence, ...failureOf(result) });
    } else open.push({ ...prepared, rendered: result });
  }
  return { open, changes };
}

/** A user deleted since the claim is not known any more. */
function failureOf(
  fault: RenderFault | null,
): Pick<StateChange, 'state' | 'reason' | 'providerCode' | 'providerMessage'> {
  if (fault === null) return { state: 'failed', reason: 'unknown_user' };
  return {
    state: 'failed',
    reason: 'template_error',
    providerCode: fault.code,
    providerMessage: fault.detail,
  };
}
