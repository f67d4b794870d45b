import type { MemberRole } from '@tidings/contracts';

/** Somebody who may sign in to the pages. */
export type Member = {
  readonly id: string;
  /** In small letters. */
  readonly email: string;
  readonly name: string;
  readonly role: MemberRole;
  readonly createdAt: number;
  readonly signedInAt: number | null;
  /** Whether the invitation still waits: there is no password, and the identity provider has not sent this person either. */
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

/** Of the table by its name or, where a statement has one, by its alias `m`. */
export const MEMBER_COLUMNS =
  'm.id, m.email, m.name, m.role, m.created_at, m.signed_in_at, (m.password_hash is null and m.identity is null) as is_invited';

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

/** One person, however the address is written. */
export const emailKey = (email: string): string => email.trim().toLowerCase();
