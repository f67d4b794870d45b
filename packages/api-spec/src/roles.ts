import { CHANNELS, MEMBER_ROLES, type Channel, type MemberRole } from '@tidings/contracts';
import type { Endpoint } from './endpoint.ts';

const EVERYBODY = MEMBER_ROLES;
const ADMINS = ['owner', 'admin'] as const;
/** What connects a back end with Tidings: keys, definitions, webhooks, what went wrong on the way in. */
const DEVELOPERS = [...ADMINS, 'developer'] as const;
/** What is sent to whom. */
const MARKETERS = [...ADMINS, 'marketer'] as const;
const ALL_WHO_WORK = [...DEVELOPERS, 'marketer'] as const;

/**
 * Which roles may call which route of `/api/v1` with a session. There is no other place that decides; a route that is
 * missing here is nobody's. (An administrator token may do what an admin may, save what is about admins: `MANAGEABLE_ROLES`.) Reading shows no secrets, so everybody may read all but what is about the organisation itself,
 * and the raw records of dead letters.
 */
export const ROLES_OF_ROUTES: Readonly<Record<string, readonly MemberRole[]>> = {
  'GET session': EVERYBODY,
  'DELETE session': EVERYBODY,
  'POST session/password': EVERYBODY,

  'GET campaigns': EVERYBODY,
  'POST campaigns': MARKETERS,
  'GET campaigns/:campaignId': EVERYBODY,
  'GET campaigns/:campaignId/deliveries': EVERYBODY,
  'GET campaigns/:campaignId/events': EVERYBODY,
  'GET campaigns/:campaignId/report': EVERYBODY,
  'GET campaigns/:campaignId/webhooks': EVERYBODY,
  'POST campaigns/:campaignId/pause': MARKETERS,
  'POST campaigns/:campaignId/resume': MARKETERS,
  'POST campaigns/:campaignId/cancel': MARKETERS,
  'POST campaigns/:campaignId/retry-failed': MARKETERS,

  'GET users': EVERYBODY,
  'GET users/:customUserId': EVERYBODY,
  'GET users/:customUserId/events': EVERYBODY,
  'GET users/:customUserId/timeline': EVERYBODY,
  'GET users/:customUserId/held-events': EVERYBODY,
  'GET users/:customUserId/export': ALL_WHO_WORK,
  'DELETE users/:customUserId': ADMINS,

  'GET events': EVERYBODY,
  'GET ingest': EVERYBODY,
  'GET ingest/:requestId': EVERYBODY,
  'GET ingest/:requestId/messages/:index': EVERYBODY,
  'GET overview': EVERYBODY,
  'GET live': EVERYBODY,

  'GET definitions': EVERYBODY,
  'GET definitions/:slug': EVERYBODY,
  'GET definitions/:slug/chart': EVERYBODY,
  'GET revenue': EVERYBODY,
  'POST definitions': DEVELOPERS,
  'PATCH definitions/:slug': DEVELOPERS,
  'DELETE definitions/:slug': DEVELOPERS,
  'POST definitions/:slug/merge': DEVELOPERS,

  'GET applications': EVERYBODY,
  'POST applications': ADMINS,
  'GET applications/:applicationId': EVERYBODY,
  'PATCH applications/:applicationId': ADMINS,
  'POST applications/:applicationId/user-token-secret': DEVELOPERS,

  'GET keys': EVERYBODY,
  'POST keys': DEVELOPERS,
  'PATCH keys/:keyId': DEVELOPERS,
  'DELETE keys/:keyId': DEVELOPERS,

  'GET allow-list': EVERYBODY,
  'PUT allow-list': ADMINS,

  'GET channels': EVERYBODY,
  ...ofEachChannel((channel) => ({
    [`GET channels/${channel}`]: EVERYBODY,
    [`PUT channels/${channel}`]: ADMINS,
    [`POST channels/${channel}/test`]: MARKETERS,
  })),

  'GET webhooks': EVERYBODY,
  'POST webhooks': DEVELOPERS,
  'PATCH webhooks/:webhookId': DEVELOPERS,
  'DELETE webhooks/:webhookId': DEVELOPERS,
  'POST webhooks/:webhookId/rotate-secret': DEVELOPERS,
  'POST webhooks/:webhookId/test': DEVELOPERS,
  'GET webhooks/:webhookId/deliveries': EVERYBODY,
  'POST webhooks/:webhookId/deliveries/:deliveryId/replay': DEVELOPERS,

  'GET suppressions': EVERYBODY,
  'POST suppressions': MARKETERS,
  'DELETE suppressions/:suppressionId': MARKETERS,

  'GET dead-letters': EVERYBODY,
  'GET dead-letters/:letterId': DEVELOPERS,
  'POST dead-letters/:letterId/replay': DEVELOPERS,
  'POST dead-letters/:letterId/discard': DEVELOPERS,

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

/** Which roles may have a list as a file, where not all who may read it may: all users at once are an export. */
const ROLES_OF_FILES: Readonly<Record<string, readonly MemberRole[]>> = {
  'GET users': ALL_WHO_WORK,
};

/** Whether a role may have the list of an endpoint as a file. */
export function mayHaveFile(
  { method, path }: Pick<Endpoint, 'method' | 'path'>,
  role: MemberRole,
): boolean {
  return (ROLES_OF_FILES[`${method} ${path}`] ?? EVERYBODY).includes(role);
}

/** Whether a role may call an endpoint. */
export function mayCall(
  { method, path }: Pick<Endpoint, 'method' | 'path'>,
  role: MemberRole,
): boolean {
  return ROLES_OF_ROUTES[`${method} ${path}`]?.includes(role) === true;
}

function ofEachChannel(
  rolesOf: (channel: Channel) => Record<string, readonly MemberRole[]>,
): Record<string, readonly MemberRole[]> {
  return Object.assign({}, ...CHANNELS.map(rolesOf)) as Record<string, readonly MemberRole[]>;
}
