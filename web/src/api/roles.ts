import { ROUTE_ROLES } from '@tidings/api-spec/roles';
import type { MemberRole } from '@tidings/contracts/members';
import { useSession } from './session.ts';

/** The API route behind each action of the dashboard. Pages hide an action if the role does not permit its route. */
export const PERMISSION_ROUTES = {
  controlCampaigns: 'POST campaigns/:campaignId/pause',
  compose: 'POST campaigns',
  changeDrafts: 'POST drafts',
  sendTests: 'POST test-sends',
  exportUsers: 'GET users/:customUserId/export',
  deleteUsers: 'DELETE users/:customUserId',
  changeSegments: 'PUT segments/:slug',
  changeFunnels: 'PUT funnels/:slug',
  changeAutomations: 'PUT automations/:slug',
  changeTemplates: 'PUT templates/:slug',
  changeBlocks: 'PUT blocks/:slug',
  previewTemplates: 'POST templates/preview',
  previewCampaigns: 'POST campaigns/:campaignId/render',
  readSentMessages: 'GET campaigns/:campaignId/deliveries/:deliveryId/message',
  changeDefinitions: 'POST definitions',
  changeChannels: 'PUT channels/EMAIL',
  testChannels: 'POST channels/EMAIL/test',
  changeKeys: 'POST keys',
  changeAllowList: 'PUT allow-list',
  changeWebhooks: 'POST webhooks',
  readDeadLetters: 'GET dead-letters/:deadLetterId',
  changeDeadLetters: 'POST dead-letters/:deadLetterId/replay',
  changeSuppressions: 'POST suppressions',
  createApplications: 'POST applications',
  changeApplication: 'PATCH applications/:applicationId',
  changeUserTokens: 'POST applications/:applicationId/user-token-secret',
  seeMembers: 'GET members',
  changeMembers: 'POST members',
  seeTokens: 'GET administrator-tokens',
  changeTokens: 'POST administrator-tokens',
  seeAudit: 'GET audit',
} as const;
export type Permission = keyof typeof PERMISSION_ROUTES;

export function isAllowed(role: MemberRole, permission: Permission): boolean {
  return ROUTE_ROLES[PERMISSION_ROUTES[permission]]?.includes(role) === true;
}

/** Whether the role of the signed-in member permits this. */
export function useMay(permission: Permission): boolean {
  const { data } = useSession();
  return data != null && isAllowed(data.user.role, permission);
}
