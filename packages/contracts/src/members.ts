/** What a member of the organisation may do, from the most to the least; the dashboard's table of roles says which route is whose. */
export const MEMBER_ROLES = ['owner', 'admin', 'developer', 'marketer', 'viewer'] as const;
export type MemberRole = (typeof MEMBER_ROLES)[number];

/**
 * The roles whose members each may invite, change and remove, and may give. An administrator token is a program's: were it to make
 * an admin, or a link for one, whoever found it would have a way in that outlives it.
 */
export const MANAGEABLE_ROLES = {
  owner: MEMBER_ROLES,
  admin: ['admin', 'developer', 'marketer', 'viewer'],
  token: ['developer', 'marketer', 'viewer'],
} as const satisfies Partial<Record<MemberRole | 'token', readonly MemberRole[]>>;

/** How long a password may be. */
export const PASSWORD_CHARS = { min: 12, max: 256 } as const;

/** Why the identity provider's sign-in brought nobody in: what the pages are told by `?signInError=`. */
export const SIGN_IN_FAULTS = [
  'failed',
  'no_role',
  'no_email',
  'email_taken',
  'unavailable',
] as const;
export type SignInFault = (typeof SIGN_IN_FAULTS)[number];

/** The page where the first owner is made. What is behind the # reaches no server, and no log of one. */
export const setupUrl = (dashboardUrl: string, token: string): string =>
  `${dashboardUrl}/welcome#token=${token}`;

/** The page where an invitation is accepted. */
export const invitationUrl = (dashboardUrl: string, token: string): string =>
  `${dashboardUrl}/invitation#token=${token}`;
