import { CHANNELS, type Channel } from '@tidings/contracts/channels/names';
import { MEMBER_ROLES, type MemberRole } from '@tidings/contracts/members';
import type { Endpoint } from './endpoint.ts';

const ALL_ROLES = MEMBER_ROLES;
const ADMINS = ['owner', 'admin'] as const;
/** Manage the integration: keys, definitions, webhooks, dead letters. */
const DEVELOPERS = [...ADMINS, 'developer'] as const;
/** Send campaigns. */
const MARKETERS = [...ADMINS, 'marketer'] as const;
const EDITORS = [...DEVELOPERS, 'marketer'] as const;

/**
 * The roles that may call each route of `/api/v1` with a session. This is the only place that
 * decides. A route without an entry is denied. An administrator token may do what an admin may,
 * except manage admins (`ROLES_IN_HAND`). Responses contain no secrets, so every role may read
 * everything except the organisation itself and the raw records of dead letters.
 */
export const ROUTE_ROLES: Readonly<Record<string, readonly MemberRole[]>> = {
  'GET session': ALL_ROLES,
  'DELETE session': ALL_ROLES,
  'POST session/password': ALL_ROLES,

  'GET campaigns': ALL_ROLES,
  'POST campaigns': MARKETERS,
  'GET campaigns/:campaignId': ALL_ROLES,
  'GET campaigns/:campaignId/deliveries': ALL_ROLES,
  'GET campaigns/:campaignId/events': ALL_ROLES,
  'GET campaigns/:campaignId/report': ALL_ROLES,
  'GET campaigns/:campaignId/webhooks': ALL_ROLES,
  'PATCH campaigns/:campaignId': MARKETERS,
  'GET campaigns/:campaignId/templates': ALL_ROLES,
  'POST campaigns/:campaignId/render': EDITORS,
  'GET campaigns/:campaignId/deliveries/:deliveryId/message': EDITORS,
  'POST campaigns/:campaignId/pause': MARKETERS,
  'POST campaigns/:campaignId/resume': MARKETERS,
  'POST campaigns/:campaignId/cancel': MARKETERS,
  'POST campaigns/:campaignId/retry-failed': MARKETERS,
  'POST campaigns/:campaignId/decision': MARKETERS,

  'GET search': ALL_ROLES,

  'GET drafts': ALL_ROLES,
  'POST drafts': MARKETERS,
  'GET drafts/:draftId': ALL_ROLES,
  'PUT drafts/:draftId': MARKETERS,
  'DELETE drafts/:draftId': MARKETERS,

  'POST test-sends': MARKETERS,
  'GET test-sends/addresses': ALL_ROLES,
  'PUT test-sends/addresses': MARKETERS,

  'GET users': ALL_ROLES,
  'POST users/resolve': ALL_ROLES,
  'GET users/:customUserId': ALL_ROLES,
  'GET users/:customUserId/events': ALL_ROLES,
  'GET users/:customUserId/timeline': ALL_ROLES,
  'GET users/:customUserId/held-events': ALL_ROLES,
  'GET users/:customUserId/segments': ALL_ROLES,
  'GET users/:customUserId/automation-runs': ALL_ROLES,
  'GET users/:customUserId/export': EDITORS,
  'DELETE users/:customUserId': ADMINS,

  'GET events': ALL_ROLES,
  'GET ingest': ALL_ROLES,
  'GET ingest/:requestId': ALL_ROLES,
  'GET ingest/:requestId/messages/:index': ALL_ROLES,
  'GET overview': ALL_ROLES,
  'GET live': ALL_ROLES,

  'GET definitions': ALL_ROLES,
  'GET definitions/:slug': ALL_ROLES,
  'GET definitions/:slug/chart': ALL_ROLES,
  'GET revenue': ALL_ROLES,
  'POST definitions': DEVELOPERS,
  'PATCH definitions/:slug': DEVELOPERS,
  'DELETE definitions/:slug': DEVELOPERS,
  'POST definitions/:slug/merge': DEVELOPERS,

  'GET segments': ALL_ROLES,
  'GET segments/:slug': ALL_ROLES,
  'PUT segments/:slug': MARKETERS,
  'DELETE segments/:slug': MARKETERS,
  'GET segments/:slug/versions': ALL_ROLES,
  'GET segments/:slug/count': ALL_ROLES,
  'GET segments/:slug/uses': ALL_ROLES,
  'GET segments/:slug/users': ALL_ROLES,
  'GET segments/:slug/users/:customUserId': ALL_ROLES,
  'POST segments/users': ALL_ROLES,
  'GET suggestions': ALL_ROLES,
  'POST segments/preview': ALL_ROLES,
  'POST segments/count': ALL_ROLES,
  'POST segments/explain': ALL_ROLES,

  'GET funnels': ALL_ROLES,
  'GET funnels/:slug': ALL_ROLES,
  'PUT funnels/:slug': MARKETERS,
  'DELETE funnels/:slug': MARKETERS,
  'GET funnels/:slug/uses': ALL_ROLES,
  'GET funnels/:slug/versions': ALL_ROLES,
  'GET funnels/:slug/result': ALL_ROLES,
  'GET funnels/:slug/users': ALL_ROLES,
  'GET funnels/:slug/users/:customUserId': ALL_ROLES,
  'POST funnels/result': ALL_ROLES,
  'POST funnels/users': ALL_ROLES,
  'POST funnels/explain': ALL_ROLES,
  'POST funnels/preview': ALL_ROLES,

  'POST trends/result': ALL_ROLES,
  'POST trends/users': ALL_ROLES,
  'POST retention/result': ALL_ROLES,
  'POST retention/users': ALL_ROLES,

  'GET automations': ALL_ROLES,
  'GET automations/:slug': ALL_ROLES,
  'PUT automations/:slug': MARKETERS,
  'DELETE automations/:slug': MARKETERS,
  'POST automations/:slug/activate': MARKETERS,
  'POST automations/:slug/pause': MARKETERS,
  'POST automations/:slug/resume': MARKETERS,
  'POST automations/:slug/stop': MARKETERS,
  'POST automations/:slug/rehearse': MARKETERS,
  'GET rehearsals/:rehearsalId': ALL_ROLES,
  'GET automations/:slug/versions': ALL_ROLES,
  'POST automations/:slug/runs': MARKETERS,
  'GET automations/:slug/runs': ALL_ROLES,
  'GET automations/:slug/runs/:runId': ALL_ROLES,
  'POST automations/:slug/runs/:runId/end': MARKETERS,
  'POST automations/:slug/runs/:runId/retry': MARKETERS,
  'GET automations/:slug/report': ALL_ROLES,
  'GET automations/:slug/users/:customUserId': ALL_ROLES,

  'GET templates': ALL_ROLES,
  'GET templates/:slug': ALL_ROLES,
  'PUT templates/:slug': MARKETERS,
  'DELETE templates/:slug': MARKETERS,
  'GET templates/:slug/versions': ALL_ROLES,
  'POST templates/preview': EDITORS,
  'POST templates/:slug/preview': EDITORS,

  'GET blocks': ALL_ROLES,
  'GET blocks/:slug': ALL_ROLES,
  'PUT blocks/:slug': MARKETERS,
  'DELETE blocks/:slug': MARKETERS,
  'GET blocks/:slug/versions': ALL_ROLES,

  'GET applications': ALL_ROLES,
  'POST applications': ADMINS,
  'GET applications/:applicationId': ALL_ROLES,
  'PATCH applications/:applicationId': ADMINS,
  'POST applications/:applicationId/user-token-secret': DEVELOPERS,

  'GET keys': ALL_ROLES,
  'POST keys': DEVELOPERS,
  'PATCH keys/:keyId': DEVELOPERS,
  'DELETE keys/:keyId': DEVELOPERS,

  'GET allow-list': ALL_ROLES,
  'PUT allow-list': ADMINS,

  'GET channels': ALL_ROLES,
  ...channelRoutes((channel) => ({
    [`GET channels/${channel}`]: ALL_ROLES,
    [`PUT channels/${channel}`]: ADMINS,
    [`POST channels/${channel}/test`]: MARKETERS,
  })),

  'GET webhooks': ALL_ROLES,
  'POST webhooks': DEVELOPERS,
  'PATCH webhooks/:webhookId': DEVELOPERS,
  'DELETE webhooks/:webhookId': DEVELOPERS,
  'POST webhooks/:webhookId/rotate-secret': DEVELOPERS,
  'POST webhooks/:webhookId/test': DEVELOPERS,
  'GET webhooks/:webhookId/deliveries': ALL_ROLES,
  'POST webhooks/:webhookId/deliveries/:deliveryId/replay': DEVELOPERS,

  'GET suppressions': ALL_ROLES,
  'POST suppressions': MARKETERS,
  'DELETE suppressions/:suppressionId': MARKETERS,

  'GET dead-letters': ALL_ROLES,
  'GET dead-letters/:deadLetterId': DEVELOPERS,
  'POST dead-letters/:deadLetterId/replay': DEVELOPERS,
  'POST dead-letters/:deadLetterId/discard': DEVELOPERS,

  'GET members': ADMINS,
  'POST members': ADMINS,
  'PATCH members/:memberId': ADMINS,
  'POST members/:memberId/invitation': ADMINS,
  'DELETE members/:memberId': ADMINS,
  'GET administrator-tokens': ADMINS,
  'POST administrator-tokens': ADMINS,
  'DELETE administrator-tokens/:tokenId': ADMINS,
  'GET audit': ADMINS,
};

/**
 * Roles that may download a list as a file, where not all readers may. Exporting all users is
 * restricted.
 */
const EXPORT_ROLES: Readonly<Record<string, readonly MemberRole[]>> = {
  'GET users': EDITORS,
  'GET segments/:slug/users': EDITORS,
  'POST segments/users': EDITORS,
  'GET funnels/:slug/users': EDITORS,
  'POST funnels/users': EDITORS,
  'POST trends/users': EDITORS,
  'POST retention/users': EDITORS,
};

/** Whether a role may download this list as a file. */
export function mayExport(
  { method, path }: Pick<Endpoint, 'method' | 'path'>,
  role: MemberRole,
): boolean {
  return (EXPORT_ROLES[`${method} ${path}`] ?? ALL_ROLES).includes(role);
}

/** Whether a role may call an endpoint. */
export function mayCall(
  { method, path }: Pick<Endpoint, 'method' | 'path'>,
  role: MemberRole,
): boolean {
  return ROUTE_ROLES[`${method} ${path}`]?.includes(role) === true;
}

function channelRoutes(
  rolesOf: (channel: Channel) => Record<string, readonly MemberRole[]>,
): Record<string, readonly MemberRole[]> {
  return Object.assign({}, ...CHANNELS.map(rolesOf)) as Record<string, readonly MemberRole[]>;
}
