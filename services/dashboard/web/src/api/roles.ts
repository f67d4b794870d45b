import { ROLES, useSession, type Role } from './session.ts';

const ADMINS: readonly Role[] = ['owner', 'admin'];

/**
 * What each role is offered. The service decides by its own table; here is only what would be refused anyway, so that
 * nobody fills in a form for nothing.
 */
const MAY = {
  controlCampaigns: ['owner', 'admin', 'marketer'],
  compose: ['owner', 'admin', 'marketer'],
  changeUsers: ADMINS,
  changeDefinitions: ['owner', 'admin', 'developer'],
  changeChannels: ['owner', 'admin', 'developer'],
  changeKeys: ['owner', 'admin', 'developer'],
  changeWebhooks: ['owner', 'admin', 'developer'],
  changeDeadLetters: ['owner', 'admin', 'developer'],
  changeSuppressions: ['owner', 'admin', 'marketer'],
  changeApplication: ADMINS,
  changeMembers: ADMINS,
} as const satisfies Record<string, readonly Role[]>;
export type Permission = keyof typeof MAY;

export function isAllowed(role: Role, permission: Permission): boolean {
  return (MAY[permission] as readonly Role[]).includes(role);
}

/** Whether the one who is signed in is offered this. */
export function useMay(permission: Permission): boolean {
  const { data } = useSession();
  return data != null && ROLES.includes(data.user.role) && isAllowed(data.user.role, permission);
}
