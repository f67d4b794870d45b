/**
 * Roles of a member, from most to least rights. The role table of the dashboard assigns routes to
 * roles.
 */
export const MEMBER_ROLES = ['owner', 'admin', 'developer', 'marketer', 'viewer'] as const;
export type MemberRole = (typeof MEMBER_ROLES)[number];

/**
 * The roles that each role may invite, change, remove and assign. An administrator token belongs to
 * a program: if it could create an admin, anyone who found it would gain access that outlives it.
 */
export const MANAGEABLE_ROLES = {
  owner: MEMBER_ROLES,
  admin: ['admin', 'developer', 'marketer', 'viewer'],
  token: ['developer', 'marketer', 'viewer'],
} as const satisfies Partial<Record<MemberRole | 'token', readonly MemberRole[]>>;

/** How long a password may be. */
export const PASSWORD_CHARS = { min: 12, max: 256 } as const;

/** Why a sign-in through the identity provider failed; the pages get it as `?signInError=`. */
export const SIGN_IN_FAULTS = [
  'failed',
  'no_role',
  'no_email',
  'email_taken',
  'unavailable',
] as const;
export type SignInFault = (typeof SIGN_IN_FAULTS)[number];

/**
 * The page that creates the first owner. The fragment after # is never sent to a server or logged.
 */
export const setupUrl = (dashboardUrl: string, token: string): string =>
  `${dashboardUrl}/welcome#token=${token}`;

/** The page where an invitation is accepted. */
export const invitationUrl = (dashboardUrl: string, token: string): string =>
  `${dashboardUrl}/invitation#token=${token}`;
