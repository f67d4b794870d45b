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
import { invitationUrl, type MemberRole } from '@tidings/contracts/members';
import { AppError } from '@tidings/platform';
import type { Response } from 'express';
import { getManageableRoles } from '../../auth/access.ts';
import { addToAuditEntry } from '../../auth/audit.ts';
import type { ApiDependencies } from '../../dependencies.ts';
import { defineRoute, type Route } from '../../http/route.ts';
import { paginate } from '../../http/page.ts';

const ROLE_PROTECTED =
  'Only owners may manage owners, and administrator tokens may not manage admins.';

/** Members of the organisation: list, invite, change, remove. */
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
    defineRoute(listMembersEndpoint, async ({ query }) =>
      paginate(query, await listMembers(db), ({ id }) => id),
    ),
    defineRoute(inviteMemberEndpoint, async ({ res, body }) => {
      checkManageable(res, body.role);
      const member = await addMember(db, body);
      if (member === null)
        throw new AppError('conflict', 'A member already has this e-mail address.');
      return invited(member);
    }),
    defineRoute(changeMemberEndpoint, async ({ res, params, body }) =>
      unwrap(
        await changeMember(db, String(params['memberId']), {
          ...body,
          manageableRoles: getManageableRoles(res),
        }),
      ),
    ),
    defineRoute(renewInvitationEndpoint, async ({ res, params }) => {
      const member = unwrap(await readMember(db, String(params['memberId'])));
      // The link gives access to the account.
      checkManageable(res, member.role);
      return invited(member);
    }),
    defineRoute(deleteMemberEndpoint, async ({ res, params }) => {
      const member = unwrap(await readMember(db, String(params['memberId'])));
      const activeTokens = (await listAdminTokens(db)).filter(
        ({ createdBy }) => createdBy === `member:${member.email}`,
      );
      unwrap(await deleteMember(db, member.id, { manageableRoles: getManageableRoles(res) }));
      // Tokens outlive their creator: the audit entry lists the ones to revoke.
      if (activeTokens.length > 0)
        addToAuditEntry(res, { livingTokenIds: activeTokens.map(({ id }) => id).join(', ') });
    }),
  ];
}

/** @throws AppError `role_forbidden` */
function checkManageable(res: Response, role: MemberRole): void {
  if (!getManageableRoles(res).includes(role)) throw new AppError('role_forbidden', ROLE_PROTECTED);
}

function unwrap<T>(result: T | MemberChangeConflict | null): T {
  if (result === null) throw new AppError('not_found', 'There is no member with this id.');
  if (result === 'role_protected') throw new AppError('role_forbidden', ROLE_PROTECTED);
  if (result === 'last_owner')
    throw new AppError('conflict', 'This is the last owner. Make another member an owner first.');
  return result;
}
