import { MEMBER_ROLES } from '@tidings/contracts/members';
import { Type } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { MEMBER_FIELDS } from '../member-fields.ts';
import { Uuid, oneOf } from '../schemas.ts';

const { email, name, password } = MEMBER_FIELDS;
const LINK_TOKEN_CHARS_MAX = 256;
const COMPARED_CHARS_MAX = 1024;
/** Compared with stored values, never stored. */
const ComparedText = Type.String({ maxLength: COMPARED_CHARS_MAX });
const LinkToken = Type.String({
  minLength: 1,
  maxLength: LINK_TOKEN_CHARS_MAX,
  description: 'the token of the link, after #token=',
});

const Session = Type.Object(
  {
    user: Type.Object({
      id: Uuid,
      email: Type.String(),
      name: Type.String(),
      role: oneOf(MEMBER_ROLES),
    }),
    applications: Type.Array(Type.Object({ applicationId: Uuid, name: Type.String() })),
    csrfToken: Type.String({
      description: 'Send it as X-CSRF-Token with every request that changes something.',
    }),
  },
  { title: 'Session' },
);

const SESSION_EXAMPLE = {
  user: {
    id: '01a1fd9f-5555-7000-8000-000000000005',
    email: 'ada@example.com',
    name: 'Ada Lovelace',
    role: 'owner',
  },
  applications: [{ applicationId: '01a1fd9f-1111-7000-8000-000000000001', name: 'Shop' }],
  csrfToken: '7kq9X2mT0uWm3nQnGx4c5K8hYpLr7vZaBdEs1Ji6OtE',
};

export const readSessionEndpoint = endpoint({
  name: 'readSession',
  method: 'GET',
  path: 'session',
  access: 'member',
  summary: 'Read the signed-in member and the applications',
  description:
    '401 without a session. A session ends after 12 hours without use, and after 7 days at the latest.',
  answer: { status: 200, description: 'The session.', schema: Session, example: SESSION_EXAMPLE },
});

export const readSetupEndpoint = endpoint({
  name: 'readSignInSetup',
  method: 'GET',
  path: 'session/setup',
  access: 'public',
  summary: 'Read the available sign-in methods',
  answer: {
    status: 200,
    description:
      '`setup`: whether the first owner still has to be created with the setup link that the installation printed. `oidc`: the identity provider, if any.',
    schema: Type.Object(
      {
        setup: Type.Boolean(),
        oidc: Type.Unsafe<{ name: string } | null>({
          type: ['object', 'null'],
          required: ['name'],
          properties: { name: { type: 'string' } },
        }),
      },
      { title: 'SignInSetup' },
    ),
    example: { setup: false, oidc: { name: 'Example SSO' } },
  },
});

export const signInEndpoint = endpoint({
  name: 'signIn',
  method: 'POST',
  path: 'session',
  access: 'public',
  summary: 'Sign in',
  description: [
    '401 for an unknown e-mail address and for a wrong password.',
    'Failures lead to 429 with a wait that doubles with each further failure:',
    '',
    '- after 5 failures for one account from one address, from 1 s to 15 min;',
    '- after 50 failures from one address, from 1 s to 15 min;',
    '- after 100 failures for one account, up to 30 s.',
    '',
    'The last two do not apply to an account that was signed in to from that address within 30 days.',
  ].join('\n'),
  body: Type.Object(
    { email: ComparedText, password: ComparedText },
    { additionalProperties: false },
  ),
  bodyExample: { email: 'ada@example.com', password: 'correct horse battery staple' },
  answer: {
    status: 200,
    description: 'The new session.',
    schema: Session,
    example: SESSION_EXAMPLE,
    headers: ['Set-Cookie'],
  },
  errorStatuses: [401, 429, 503],
});

export const signOutEndpoint = endpoint({
  name: 'signOut',
  method: 'DELETE',
  path: 'session',
  access: 'member',
  summary: 'Sign out',
  answer: { status: 204, description: 'Signed out.', headers: ['Set-Cookie'] },
});

export const changePasswordEndpoint = endpoint({
  name: 'changePassword',
  method: 'POST',
  path: 'session/password',
  access: 'member',
  summary: 'Change your password',
  description:
    'Ends all sessions of the member and returns a new one. 400 when the current password is wrong.',
  body: Type.Object(
    { currentPassword: ComparedText, newPassword: password },
    { additionalProperties: false },
  ),
  bodyExample: {
    currentPassword: 'correct horse battery staple',
    newPassword: 'another horse, another battery',
  },
  answer: {
    status: 200,
    description: 'The new session.',
    schema: Session,
    example: SESSION_EXAMPLE,
    headers: ['Set-Cookie'],
  },
  errorStatuses: [429, 503],
});

export const createFirstOwnerEndpoint = endpoint({
  name: 'createFirstOwner',
  method: 'POST',
  path: 'session/first-administrator',
  access: 'public',
  summary: 'Create the first owner with the setup link, and sign in',
  description:
    'The link works once, within 24 hours. 404 for an invalid token, and once there is an owner.',
  body: Type.Object({ token: LinkToken, email, name, password }, { additionalProperties: false }),
  bodyExample: {
    token: 'wl_9Fq2mT0uWm3nQnGx4c5K8hYpLr7vZaBdEs1Ji6Ot',
    email: 'ada@example.com',
    name: 'Ada Lovelace',
    password: 'correct horse battery staple',
  },
  answer: {
    status: 201,
    description: 'The session.',
    schema: Session,
    example: SESSION_EXAMPLE,
    headers: ['Set-Cookie'],
  },
  errorStatuses: [404, 503],
});

export const acceptInvitationEndpoint = endpoint({
  name: 'acceptInvitation',
  method: 'POST',
  path: 'session/invitation',
  access: 'public',
  summary: 'Accept an invitation: set name and password, and sign in',
  description: 'The link works once, within 7 days. 404 for an invalid token.',
  body: Type.Object({ token: LinkToken, name, password }, { additionalProperties: false }),
  bodyExample: {
    token: 'wl_9Fq2mT0uWm3nQnGx4c5K8hYpLr7vZaBdEs1Ji6Ot',
    name: 'Ada Lovelace',
    password: 'correct horse battery staple',
  },
  answer: {
    status: 200,
    description: 'The session.',
    schema: Session,
    example: SESSION_EXAMPLE,
    headers: ['Set-Cookie'],
  },
  errorStatuses: [404, 503],
});

export const beginOidcSignInEndpoint = endpoint({
  name: 'beginOidcSignIn',
  method: 'GET',
  path: 'session/oidc',
  access: 'public',
  summary: 'Redirect the browser to the identity provider',
  description:
    'For links in the dashboard. 404 without a configured identity provider. If it cannot be reached, redirects to the dashboard with `?signInError=unavailable`.',
  answer: {
    status: 302,
    description:
      'Redirect to the provider: authorization code flow with PKCE, `state` and `nonce`, kept in a cookie for 10 minutes.',
    headers: ['Location', 'Set-Cookie'],
  },
  errorStatuses: [404],
});

export const finishOidcSignInEndpoint = endpoint({
  name: 'finishOidcSignIn',
  method: 'GET',
  path: 'session/oidc/callback',
  access: 'public',
  summary: 'Redirect target for the identity provider',
  description: [
    'Signs in. A new person becomes a member if one of their groups has a role.',
    'Errors go to the dashboard as `?signInError=`: `failed`, `no_role`, `no_email` or `email_taken` (a member has this address and the provider has not verified it).',
    'The role follows the groups at each sign-in. A changed role ends earlier sessions; without a role, links and the password end too. The last owner keeps the role.',
  ].join(' '),
  answer: {
    status: 302,
    description: 'Redirect to the dashboard.',
    headers: ['Location', 'Set-Cookie'],
  },
  errorStatuses: [404],
});
