import { MEMBER_ROLES, type MemberRole } from '@tidings/contracts/members';
import { ConfigError, optionalText, text, type ConfigOf, type ConfigSpec } from '@tidings/platform';

/** OpenID Connect configuration. Disabled without an issuer. */
export const oidcConfig = {
  oidcIssuer: optionalText(
    'OIDC_ISSUER',
    'Issuer URL of the OpenID Connect provider, e.g. https://sso.example. Without it members sign in with passwords only.',
  ),
  oidcClientId: optionalText(
    'OIDC_CLIENT_ID',
    'Client id at the identity provider. Register the redirect URI /api/v1/session/oidc/callback on the host of the dashboard there.',
  ),
  oidcClientSecret: optionalText(
    'OIDC_CLIENT_SECRET',
    'Client secret at the identity provider. Without it the dashboard is a public client that uses PKCE only.',
    { secret: true },
  ),
  oidcName: text('OIDC_NAME', 'Name of the identity provider on the sign-in page.', {
    default: 'Single sign-on',
  }),
  oidcScopes: text('OIDC_SCOPES', 'Scopes to request.', {
    default: 'openid email profile',
  }),
  oidcGroupsClaim: text('OIDC_GROUPS_CLAIM', 'Claim with the list of groups.', {
    default: 'groups',
  }),
  oidcRoles: optionalText(
    'OIDC_ROLES',
    'Role per group, as JSON: `{"tidings-admins":"admin","*":"viewer"}`. `*` matches every person. With several groups the highest role counts. Persons without a role cannot sign in.',
  ),
} as const satisfies ConfigSpec;

/** The complete settings of the identity provider. */
export type OidcSettings = {
  readonly issuer: URL;
  readonly clientId: string;
  readonly clientSecret: string | null;
  readonly name: string;
  readonly scopes: string;
  readonly groupsClaim: string;
  readonly roles: Readonly<Record<string, MemberRole>>;
};

const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|localhost|\[::1\])$/;

/** Null without an identity provider. @throws ConfigError for incomplete or invalid settings */
export function readOidcSettings(config: ConfigOf<typeof oidcConfig>): OidcSettings | null {
  const { oidcIssuer, oidcClientId, oidcRoles } = config;
  if (oidcIssuer === '' && oidcClientId === '' && oidcRoles === '') return null;
  const issuer = URL.parse(oidcIssuer);
  const roles = readRoles(oidcRoles);
  const problems = [
    ...(issuer !== null &&
    (issuer.protocol === 'https:' ||
      (issuer.protocol === 'http:' && LOOPBACK.test(issuer.hostname)))
      ? []
      : ['OIDC_ISSUER must be a URL like https://sso.example']),
    ...(oidcClientId === '' ? ['OIDC_CLIENT_ID is missing; it is required with OIDC_ISSUER'] : []),
    ...(roles === null || Object.keys(roles).length === 0
      ? [`OIDC_ROLES must be JSON like {"group":"role"}, with the roles ${MEMBER_ROLES.join(', ')}`]
      : []),
  ];
  if (issuer === null || roles === null || problems.length > 0) throw new ConfigError(problems);
  return {
    issuer,
    clientId: oidcClientId,
    clientSecret: config.oidcClientSecret === '' ? null : config.oidcClientSecret,
    name: config.oidcName,
    scopes: config.oidcScopes,
    groupsClaim: config.oidcGroupsClaim,
    roles,
  };
}

/** The highest role of these groups; null if none has a role. */
export function findRole(groups: unknown, roles: OidcSettings['roles']): MemberRole | null {
  const named =
    typeof groups === 'string'
      ? [groups]
      : Array.isArray(groups)
        ? groups.filter((group) => typeof group === 'string')
        : [];
  const granted = new Set(
    [...named.filter((group) => group !== '*'), '*'].flatMap((group) =>
      Object.hasOwn(roles, group) ? [roles[group]] : [],
    ),
  );
  return MEMBER_ROLES.find((role) => granted.has(role)) ?? null;
}

function readRoles(text: string): OidcSettings['roles'] | null {
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return null;
    const isRole = (role: unknown): boolean => MEMBER_ROLES.some((known) => known === role);
    return Object.values(parsed).every(isRole) ? (parsed as OidcSettings['roles']) : null;
  } catch {
    return null;
  }
}
