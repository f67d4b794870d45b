import { MEMBER_ROLES } from '@tidings/contracts';
import { Type } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { MEMBER_FIELDS } from '../member-fields.ts';
import { Instant, NullableInstant, Uuid, oneOf, pageQuery, pageSchema } from '../schemas.ts';

const { email, name, role } = MEMBER_FIELDS;
const member = { access: 'administrator', parameters: { memberId: Uuid } } as const;

const MemberFields = {
  id: Uuid,
  email: Type.String(),
  name: Type.String(),
  role: oneOf(MEMBER_ROLES),
  createdAt: Instant,
  signedInAt: NullableInstant,
  isInvited: Type.Boolean({ description: 'Whether the invitation was not accepted yet.' }),
};
const Member = Type.Object(MemberFields, { title: 'Member' });
const invitationUrl = Type.String({
  description:
    'The one-time link, shown this once: whoever opens it within 7 days sets the password.',
});
const InvitedMember = Type.Object({ ...MemberFields, invitationUrl }, { title: 'InvitedMember' });

const MEMBER_EXAMPLE = {
  id: '01a1fd9f-5555-7000-8000-000000000005',
  email: 'ada@example.com',
  name: 'Ada Lovelace',
  role: 'developer',
  createdAt: 1_795_256_400_000,
  signedInAt: null,
  isInvited: true,
};
const INVITED_EXAMPLE = {
  ...MEMBER_EXAMPLE,
  invitationUrl:
    'https://tidings.example/dashboard/invitation#token=wl_9Fq2mT0uWm3nQnGx4c5K8hYpLr7vZaBdEs1Ji6Ot',
};

export const listMembersEndpoint = endpoint({
  name: 'listMembers',
  method: 'GET',
  path: 'members',
  access: 'administrator',
  summary: 'Who may sign in, oldest first',
  query: Type.Object(pageQuery),
  answer: {
    status: 200,
    description: 'A page of members.',
    schema: pageSchema(Member),
    example: { items: [MEMBER_EXAMPLE], nextCursor: null },
  },
});

export const inviteMemberEndpoint = endpoint({
  name: 'inviteMember',
  method: 'POST',
  path: 'members',
  access: 'administrator',
  summary: 'Invites somebody',
  description:
    'Give them the link: nothing is mailed. 409 when somebody has this address. Only owners make owners, and no token an admin: 403 `role_forbidden`.',
  body: Type.Object({ email, name, role }, { additionalProperties: false }),
  bodyExample: { email: 'ada@example.com', name: 'Ada Lovelace', role: 'developer' },
  recorded: ['email', 'name', 'role'],
  answer: {
    status: 201,
    description: 'The member with the link.',
    schema: InvitedMember,
    example: INVITED_EXAMPLE,
  },
  errorStatuses: [409],
});

export const changeMemberEndpoint = endpoint({
  name: 'changeMember',
  ...member,
  method: 'PATCH',
  path: 'members/:memberId',
  summary: 'Changes the name or role of a member',
  description:
    'Another role ends the member’s sessions. Only owners change owners, and make some; a token does not touch admins, nor make one: 403 `role_forbidden`. The last owner stays: 409.',
  body: Type.Object(
    { name: Type.Optional(name), role: Type.Optional(role) },
    { additionalProperties: false },
  ),
  bodyExample: { role: 'admin' },
  recorded: ['name', 'role'],
  answer: {
    status: 200,
    description: 'The member.',
    schema: Member,
    example: { ...MEMBER_EXAMPLE, role: 'admin' },
  },
  errorStatuses: [404, 409],
});

export const renewInvitationEndpoint = endpoint({
  name: 'renewInvitation',
  ...member,
  method: 'POST',
  path: 'members/:memberId/invitation',
  summary: 'Makes another one-time link, for who has lost the first one or the password',
  description:
    'Links before it count no more. The present password stays until the link is used. Only owners do so for an owner, and no token for an admin: whoever has the link becomes that member.',
  answer: {
    status: 201,
    description: 'The member with the link.',
    schema: InvitedMember,
    example: INVITED_EXAMPLE,
  },
  errorStatuses: [404],
});

export const deleteMemberEndpoint = endpoint({
  name: 'deleteMember',
  ...member,
  method: 'DELETE',
  path: 'members/:memberId',
  summary: 'Ends a membership, its sessions and links at once',
  description:
    'Only owners remove owners, and no token an admin: 403 `role_forbidden`. The last owner stays: 409.',
  answer: { status: 204, description: 'It is gone.' },
  errorStatuses: [404, 409],
});
