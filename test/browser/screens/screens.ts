/** The ids that screens need: of the demonstration data, and of an empty application. */
export type ScreenIds = {
  readonly campaignId: string;
  readonly pausedCampaignId: string;
  readonly customUserId: string;
  readonly heldUserId: string;
  readonly requestId: string;
  readonly refusedRequestId: string;
  readonly slug: string;
  readonly segmentSlug: string;
  readonly templateSlug: string;
  /** A campaign that splits its recipients between templates. */
  readonly splitCampaignId: string;
  /** A campaign to a segment that waits for a local time. */
  readonly scheduledCampaignId: string;
  /** A campaign that two accounts of a channel sent. */
  readonly accountsCampaignId: string;
  /** A draft that a segment will get. */
  readonly draftId: string;
  readonly webhookId: string;
  readonly emptyApplicationId: string;
};

/** Screens for signed-out visitors. */
export const SIGNED_OUT_SCREENS = {
  'sign-in': '/',
  'sign-in-refused': '/?signInError=no_role',
  welcome: '/welcome#token=0123456789',
  invitation: '/invitation#token=0123456789',
} as const;

/** The path of each screen below `/dashboard`, by name. */
export function listScreens(shown: ScreenIds): Readonly<Record<string, string>> {
  const report = `/campaigns/${shown.campaignId}`;
  const ofEmpty = `application=${shown.emptyApplicationId}`;
  return {
    overview: '/',
    'overview-empty': `/?${ofEmpty}`,
    'first-steps': '/start',
    'first-steps-empty': `/start?${ofEmpty}`,
    campaigns: '/campaigns',
    'campaigns-none': '/campaigns?channel=SMS&source=test&status=failed',
    'campaigns-empty': `/campaigns?${ofEmpty}`,
    drafts: '/campaigns?status=draft',
    'drafts-empty': `/campaigns?status=draft&${ofEmpty}`,
    report,
    'report-recipients': `${report}?tab=recipients`,
    'report-message': `${report}?tab=message`,
    'report-log': `${report}?tab=log`,
    'report-webhooks': `${report}?tab=webhooks`,
    'report-paused': `/campaigns/${shown.pausedCampaignId}`,
    'report-scheduled': `/campaigns/${shown.scheduledCampaignId}`,
    'report-accounts': `/campaigns/${shown.accountsCampaignId}`,
    'report-accounts-recipients': `/campaigns/${shown.accountsCampaignId}?tab=recipients`,
    'report-unknown': '/campaigns/00000000-0000-0000-0000-000000000000',
    compose: '/compose',
    'compose-draft': `/compose?draft=${shown.draftId}`,
    ingest: '/ingest',
    'ingest-empty': `/ingest?${ofEmpty}`,
    'ingest-request': `/ingest/${shown.requestId}`,
    'ingest-message': `/ingest/${shown.requestId}?message=3`,
    'ingest-refused': `/ingest/${shown.refusedRequestId}`,
    users: '/users',
    'users-empty': `/users?${ofEmpty}`,
    user: `/users/${shown.customUserId}`,
    'user-events': `/users/${shown.customUserId}?tab=events`,
    'user-timeline': `/users/${shown.customUserId}?tab=timeline`,
    'user-segments': `/users/${shown.customUserId}?tab=segments`,
    'user-automations': `/users/${shown.customUserId}?tab=automations`,
    'user-held': `/users/${shown.heldUserId}`,
    segments: '/segments',
    'segments-empty': `/segments?${ofEmpty}`,
    segment: `/segments/${shown.segmentSlug}`,
    'segment-members': `/segments/${shown.segmentSlug}?tab=members`,
    'segment-versions': `/segments/${shown.segmentSlug}?tab=versions`,
    'new-segment': '/new-segment',
    'compose-segment': `/compose?segment=${shown.segmentSlug}`,
    automations: '/automations',
    'automations-empty': `/automations?${ofEmpty}`,
    automation: '/automations/abandoned-cart',
    'automation-message': '/automations/abandoned-cart?step=mail1',
    'automation-rehearsal': '/automations/abandoned-cart?tab=rehearsal',
    'automation-people': '/automations/abandoned-cart?tab=people',
    'automation-why': `/automations/abandoned-cart?tab=why&user=${shown.customUserId}`,
    'automation-versions': '/automations/abandoned-cart?tab=versions',
    'automation-json': '/automations/abandoned-cart?tab=json',
    'automation-new': '/new-automation',
    templates: '/templates',
    'templates-empty': `/templates?${ofEmpty}`,
    template: `/templates/${shown.templateSlug}`,
    'template-versions': `/templates/${shown.templateSlug}?tab=versions`,
    blocks: '/templates?show=blocks',
    'blocks-empty': `/templates?show=blocks&${ofEmpty}`,
    block: '/templates/blocks/footer',
    'block-versions': '/templates/blocks/footer?tab=versions',
    'block-new': '/new-block',
    'template-new': '/new-template',
    'template-compose': `/compose?template=${shown.templateSlug}`,
    'template-report': `/campaigns/${shown.splitCampaignId}`,
    'template-report-message': `/campaigns/${shown.splitCampaignId}?tab=message`,
    'template-report-recipients': `/campaigns/${shown.splitCampaignId}?tab=recipients`,
    trends: '/trends',
    'trends-empty': `/trends?${ofEmpty}`,
    'trends-groups': '/trends?by=%7B%22field%22%3A%22city%22%7D&step=week',
    'trends-table': '/trends?show=table',
    retention: '/retention',
    'retention-empty': `/retention?${ofEmpty}`,
    'retention-people': '/retention?show=people',
    funnels: '/funnels',
    funnel: '/funnels/reading?by={"field":"country"}',
    'funnel-people': '/funnels/reading?people={"state":"dropped","step":1}',
    'funnel-new': '/new-funnel',
    'funnel-new-empty': `/new-funnel?${ofEmpty}`,
    'funnels-empty': `/funnels?${ofEmpty}`,
    events: '/events',
    'events-empty': `/events?${ofEmpty}`,
    'events-stream': '/events?tab=stream',
    'events-revenue': '/events?tab=revenue&span=24h',
    definition: `/events/${shown.slug}?span=24h`,
    channels: '/channels',
    'channels-empty': `/channels?${ofEmpty}`,
    'channel-email': '/channels/EMAIL',
    'channel-email-empty': `/channels/EMAIL?${ofEmpty}`,
    'channel-accounts': '/channels/SMS',
    'channel-limits': '/channels/SMS?tab=limits',
    settings: '/settings',
    keys: '/settings/keys',
    'keys-empty': `/settings/keys?${ofEmpty}`,
    'allow-list': '/settings/allow-list',
    webhooks: '/settings/webhooks',
    'webhooks-empty': `/settings/webhooks?${ofEmpty}`,
    webhook: `/settings/webhooks/${shown.webhookId}`,
    'dead-letters': '/settings/dead-letters',
    suppressions: '/settings/suppressions',
    members: '/settings/members',
    tokens: '/settings/tokens',
    audit: '/settings/audit',
    'not-found': '/nowhere',
  };
}

/** The names of all screens. Test titles need them before the ids exist. */
export const SCREEN_NAMES = Object.keys(
  listScreens({
    campaignId: '',
    pausedCampaignId: '',
    customUserId: '',
    heldUserId: '',
    requestId: '',
    refusedRequestId: '',
    slug: '',
    segmentSlug: '',
    templateSlug: '',
    splitCampaignId: '',
    scheduledCampaignId: '',
    accountsCampaignId: '',
    draftId: '',
    webhookId: '',
    emptyApplicationId: '',
  }),
);
