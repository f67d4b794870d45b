import type { MemberRole } from '@tidings/contracts/members';

/** A person who may sign in to the dashboard. */
export type Member = {
  readonly id: string;
  /** In lower case. */
  readonly email: string;
  readonly name: string;
  readonly role: MemberRole;
  readonly createdAt: number;
  readonly signedInAt: number | null;
  /**
   * The invitation is still open: no password is set, and there was no sign-in through the identity
   * provider.
   */
  readonly isInvited: boolean;
};

export type MemberRow = {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly role: MemberRole;
  readonly created_at: Date;
  readonly signed_in_at: Date | null;
  readonly is_invited: boolean;
};

export function toMember(row: MemberRow): Member {
  return {
    id: row.id,
    email: row.email,
    name: row.name,
    role: row.role,
    createdAt: row.created_at.getTime(),
    signedInAt: row.signed_in_at?.getTime() ?? null,
    isInvited: row.is_invited,
  };
}

/** Normalises an e-mail address: members are unique by it. */
export const emailKey = (email: string): string => email.trim().toLowerCase();
