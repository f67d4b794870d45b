import { MEMBER_ROLES } from '@tidings/contracts';
import { Type } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { MEMBER_FIELDS } from '../member-fields.ts';
import { Uuid, oneOf } from '../schemas.ts';

const { email, name, password } = MEMBER_FIELDS;
const LINK_TOKEN_CHARS_MAX = 256;
const COMPARED_CHARS_MAX = 1024;
/** What is compared, not stored. */
const ComparedText = Type.String({ maxLength: COMPARED_CHARS_MAX });
const LinkToken = Type.String({
  minLength: 1,
  maxLength: LINK_TOKEN_CHARS_MAX,
  description: 'what is behind #token= in the link',
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
      description: 'Goes with everything that changes something, as X-CSRF-Token.',
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
  summary: 'Who is signed in, and the applications that can be chosen',
  description:
    '401 when nobody is: a session ends after 12 hours without use, and after 7 days in any case.',
  answer: { status: 200, description: 'The session.', schema: Session, example: SESSION_EXAMPLE },
});

export const readSetupEndpoint = endpoint({
  name: 'readSignInSetup',
  method: 'GET',
  path: 'session/setup',
  access: 'public',
  summary: 'How one signs in here',
  answer: {
    status: 200,
    description:
      'Whether the first owner is still to come, by the link that was printed at the start; and the identity provider, if any.',
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
  summary: 'Signs in',
  description:
    'The same 401 whatever is wrong. After five failures for one account from one address each further one doubles the wait, from a second to 15 minutes: 429; likewise after fifty from one address and, up to half a minute, after a hundred for one account, but not for an account that was signed in to from that address within 30 days.',
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
  summary: 'Signs out',
  answer: { status: 204, description: 'The session has ended.', headers: ['Set-Cookie'] },
});

export const changePasswordEndpoint = endpoint({
  name: 'changePassword',
  method: 'POST',
  path: 'session/password',
  access: 'member',
  summary: 'Changes the own password',
  description:
    'All sessions end but a new one, which is the answer. 400 when the present password is not right.',
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
  summary: 'Makes the first owner, by the link that was printed at the start, and signs in',
  description: 'Once, within 24 hours: 404 for any other token, and as soon as there is an owner.',
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
  summary: 'Accepts an invitation: sets name and password, and signs in',
  description: 'Once, within 7 days: 404 for any other token.',
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
  summary: 'Sends the browser to the identity provider',
  description:
    'For a link, not for a program. 404 where no identity provider is configured. When it cannot be reached, back to the pages with `?signInError=unavailable`.',
  answer: {
    status: 302,
    description:
      'To the provider: a code with PKCE, `state` and `nonce`, kept in a cookie for ten minutes.',
    headers: ['Location', 'Set-Cookie'],
  },
  errorStatuses: [404],
});

export const finishOidcSignInEndpoint = endpoint({
  name: 'finishOidcSignIn',
  method: 'GET',
  path: 'session/oidc/callback',
  access: 'public',
  summary: 'Where the identity provider sends the browser back to',
  description:
    'Signs in, and makes a member of whoever the provider vouches for and whose groups have a role. What goes wrong is told to the pages by `?signInError=`: `failed`, `no_role`, `no_email` or `email_taken` (a member has the address, and the provider has not verified it). The role is what the groups say at each sign-in: another one, or none, ends the sessions of before; with none, links and the password end too. The last owner stays one.',
  answer: { status: 302, description: 'To the pages.', headers: ['Location', 'Set-Cookie'] },
  errorStatuses: [404],
});
