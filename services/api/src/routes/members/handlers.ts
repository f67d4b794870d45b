import { listAdminTokens } from '@tidings/accounts/admin-tokens';
import type { Member } from '@tidings/accounts/members/member';
import {
  addMember,
  changeMember,
  deleteMember,
  listMembers,
  readMember,
  type MemberChangeConflict,
} from '@tidings/accounts/members/members';
import { issueInvitation } from '@tidings/accounts/members/invitations';
import {
  changeMemberEndpoint,
  deleteMemberEndpoint,
  inviteMemberEndpoint,
  listMembersEndpoint,
  renewInvitationEndpoint,
} from '@tidings/api-spec/endpoints/members';
import { invitationUrl, type MemberRole } from '@tidings/contracts';
import { AppError } from '@tidings/platform';
import type { Response } from 'express';
import { rolesInHandOf } from '../../auth/access.ts';
import { addToEntry } from '../../auth/audit.ts';
import type { ApiDependencies } from '../../dependencies.ts';
import { handledBy, type Route } from '../../http/route.ts';
import { pageOf } from '../../http/page.ts';

const OUT_OF_HAND = 'Owners are in the hand of owners alone, and admins not in that of a token.';

/** Members of the organisation: invited, changed, removed. */
export function memberRoutes(deps: ApiDependencies): Route[] {
  const { db } = deps;
  const invited = async (member: Member) => ({
    ...member,
    invitationUrl: invitationUrl(
      deps.dashboardUrl,
      await issueInvitation(db, member.id, deps.clock.now()),
    ),
  });
  return [
    handledBy(listMembersEndpoint, async ({ query }) =>
      pageOf(query, await listMembers(db), ({ id }) => id),
    ),
    handledBy(inviteMemberEndpoint, async ({ res, body }) => {
      checkInHand(res, body.role);
      const member = await addMember(db, body);
      if (member === null)
        throw new AppError('conflict', 'Somebody with this e-mail address is a member already.');
      return invited(member);
    }),
    handledBy(changeMemberEndpoint, async ({ res, params, body }) =>
      settled(
        await changeMember(db, String(params['memberId']), {
          ...body,
          manageableRoles: rolesInHandOf(res),
        }),
      ),
    ),
    handledBy(renewInvitationEndpoint, async ({ res, params }) => {
      const member = settled(await readMember(db, String(params['memberId'])));
      // Whoever has the link becomes that member.
      checkInHand(res, member.role);
      return invited(member);
    }),
    handledBy(deleteMemberEndpoint, async ({ res, params }) => {
      const member = settled(await readMember(db, String(params['memberId'])));
      const livingTokens = (await listAdminTokens(db)).filter(
        ({ createdBy }) => createdBy === `member:${member.email}`,
      );
      settled(await deleteMember(db, member.id, { manageableRoles: rolesInHandOf(res) }));
      // Tokens outlive the member who made them: the entry says which to revoke.
      if (livingTokens.length > 0)
        addToEntry(res, { livingTokenIds: livingTokens.map(({ id }) => id).join(', ') });
    }),
  ];
}

/** @throws AppError `role_forbidden` */
function checkInHand(res: Response, role: MemberRole): void {
  if (!rolesInHandOf(res).includes(role)) throw new AppError('role_forbidden', OUT_OF_HAND);
}

function settled<T>(result: T | MemberChangeConflict | null): T {
  if (result === null) throw new AppError('not_found', 'There is no member with this id.');
  if (result === 'role_protected') throw new AppError('role_forbidden', OUT_OF_HAND);
  if (result === 'last_owner')
    throw new AppError('conflict', 'This is the last owner: make another one first.');
  return result;
}
