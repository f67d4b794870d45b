import { MEMBER_ROLES } from '@tidings/contracts/members';
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
  isInvited: Type.Boolean({ description: 'Whether the invitation is still open.' }),
};
const Member = Type.Object(MemberFields, { title: 'Member' });
const invitationUrl = Type.String({
  description:
    'One-time link, shown only once, valid for 7 days. The person who opens it sets the password.',
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
  summary: 'List members, oldest first',
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
  summary: 'Invite a member',
  description:
    'No e-mail is sent: pass the link on yourself. 409 when a member has this e-mail address. 403 `role_forbidden`: only owners may add owners, and tokens may not add admins.',
  body: Type.Object({ email, name, role }, { additionalProperties: false }),
  bodyExample: { email: 'ada@example.com', name: 'Ada Lovelace', role: 'developer' },
  recorded: ['email', 'name', 'role'],
  answer: {
    status: 201,
    description: 'The member, with the link.',
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
  summary: 'Change the name or role of a member',
  description:
    'A role change ends the member’s sessions. 403 `role_forbidden`: only owners may change or appoint owners, and tokens may not change or appoint admins. 409 for the last owner.',
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
  summary: 'Create a new one-time link for a lost invitation or password',
  description:
    'Earlier links become invalid. The current password works until the link is used. 403 `role_forbidden`: only owners may do this for owners, and tokens may not do it for admins, because the link gives access to the account.',
  answer: {
    status: 201,
    description: 'The member, with the link.',
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
  summary: 'Remove a member, with sessions and links',
  description:
    'Effective at once. 403 `role_forbidden`: only owners may remove owners, and tokens may not remove admins. 409 for the last owner.',
  answer: { status: 204, description: 'Removed.' },
  errorStatuses: [404, 409],
});
