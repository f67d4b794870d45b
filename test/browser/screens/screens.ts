/** What there is to show: ids of the demonstration. */
export type Shown = { readonly campaignId: string; readonly pausedCampaignId: string; readonly customUserId: string; readonly requestId: string; readonly refusedRequestId: string; readonly slug: string; readonly webhookId: string };

/** What is shown to whoever has not signed in. */
export const OUTSIDE_SCREENS = { 'sign-in': '/', welcome: '/welcome#token=0123456789', invitation: '/invitation#token=0123456789' } as const;

/** Each screen by name, with its address below `/dashboard`. */
export function screensOf(shown: Shown): Readonly<Record<string, string>> {
  const report = `/campaigns/${shown.campaignId}`;
  return {
    overview: '/',
    'first-steps': '/start',
    campaigns: '/campaigns',
    'campaigns-none': '/campaigns?channel=SMS&source=test&status=failed',
    report,
    'report-recipients': `${report}?tab=recipients`,
    'report-message': `${report}?tab=message`,
    'report-log': `${report}?tab=log`,
    'report-webhooks': `${report}?tab=webhooks`,
    'report-paused': `/campaigns/${shown.pausedCampaignId}`,
    'report-unknown': '/campaigns/00000000-0000-0000-0000-000000000000',
    compose: '/compose',
    ingest: '/ingest',
    'ingest-request': `/ingest/${shown.requestId}`,
    'ingest-refused': `/ingest/${shown.refusedRequestId}`,
    users: '/users',
    user: `/users/${shown.customUserId}`,
    'user-events': `/users/${shown.customUserId}?tab=events`,
    'user-timeline': `/users/${shown.customUserId}?tab=timeline`,
    events: '/events',
    'events-stream': '/events?tab=stream',
    'events-revenue': '/events?tab=revenue',
    definition: `/events/${shown.slug}`,
    channels: '/channels',
    'channel-email': '/channels/EMAIL',
    'channel-limits': '/channels/SMS?tab=limits',
    settings: '/settings',
    keys: '/settings/keys',
    'allow-list': '/settings/allow-list',
    webhooks: '/settings/webhooks',
    webhook: `/settings/webhooks/${shown.webhookId}`,
    'dead-letters': '/settings/dead-letters',
    suppressions: '/settings/suppressions',
    members: '/settings/members',
    tokens: '/settings/tokens',
    audit: '/settings/audit',
    'not-found': '/nowhere',
  };
}
