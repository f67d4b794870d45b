import { MEMBER_ROLES, type MemberRole } from '@tidings/contracts';
import { ConfigError, optionalText, text, type ConfigOf, type ConfigSpec } from '@tidings/platform';

/** The identity provider; without an issuer there is none. */
export const oidcConfig = {
  oidcIssuer: optionalText(
    'OIDC_ISSUER',
    'The identity provider that members sign in by (OpenID Connect), as https://sso.example; without it they have passwords alone.',
  ),
  oidcClientId: optionalText(
    'OIDC_CLIENT_ID',
    'How the dashboard is known to the identity provider. The way back to allow there is /api/v1/session/oidc/callback at the host of the dashboard.',
  ),
  oidcClientSecret: optionalText(
    'OIDC_CLIENT_SECRET',
    'What the dashboard proves that by; without it a public client with PKCE alone.',
    { secret: true },
  ),
  oidcName: text('OIDC_NAME', 'What the sign-in page calls the identity provider.', {
    default: 'Single sign-on',
  }),
  oidcScopes: text('OIDC_SCOPES', 'What the identity provider is asked for.', {
    default: 'openid email profile',
  }),
  oidcGroupsClaim: text('OIDC_GROUPS_CLAIM', 'The claim that lists the groups of a person.', {
    default: 'groups',
  }),
  oidcRoles: optionalText(
    'OIDC_ROLES',
    'The role of each group, as JSON: `{"tidings-admins":"admin","*":"viewer"}`; `*` is everybody. Of several the one that may most counts; who has none is not let in.',
  ),
} as const satisfies ConfigSpec;

/** The provider as the operator describes it, all of it there. */
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

/** @throws ConfigError when it is half there, or says what cannot be */
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
      : ['OIDC_ISSUER must be an address as https://sso.example']),
    ...(oidcClientId === '' ? ['OIDC_CLIENT_ID is missing: OIDC_ISSUER needs it'] : []),
    ...(roles === null || Object.keys(roles).length === 0
      ? [`OIDC_ROLES must be JSON as {"group":"role"}, with roles of ${MEMBER_ROLES.join(', ')}`]
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

/** The role of somebody with these groups; null when none of them has one. */
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
