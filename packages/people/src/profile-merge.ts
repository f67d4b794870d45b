import {
  PROFILE_FIELDS,
  type ProfileField,
  type ProfileUpdate,
} from '@tidings/contracts/ingest/ingest';

/**
 * When a value was set: the time of the update and, for ties, its message id. The rank `client`
 * marks a value of a Client key without a proof. Any value without that rank beats it, at any
 *
 * time.
 */
export type Stamp = readonly [time: number | bigint, id: string, rank?: 'client'];

/**
 * A user's fields, each with the stamp of its value. A cleared field keeps its stamp and has no
 * value.
 */
export type Profile = {
  readonly fields: Record<string, unknown>;
  readonly customAttributes: Record<string, unknown>;
  /**
   * `fields` and `custom` by name. `customCleared`: when all custom attributes were cleared at
   * once.
   */
  readonly clocks: {
    readonly fields: Record<string, Stamp>;
    readonly custom: Record<string, Stamp>;
    readonly customCleared?: Stamp;
  };
};

export type StampedUpdate = {
  readonly update: ProfileUpdate;
  readonly stamp: Stamp;
  /** Ignores its contact fields: a public key alone must not decide where a person is reached. */
  readonly ignoresContacts?: boolean;
};

/** The fields that say where a user is reached. */
const CONTACT_FIELDS: ReadonlySet<string> = new Set<ProfileField>([
  'email',
  'hashedEmail',
  'phoneNumber',
  'hashedPhoneNumber',
]);

/**
 * Why a field of an update was skipped: a Client key may not change it without a proof, or the
 * stored value is newer.
 */
export type SkipReason = 'client_key_field' | 'stale_profile_field';

/** A time further ahead counts as the acceptance time: a wrong clock must not win for ever. */
const FUTURE_MS_MAX = 10 * 60_000;

export function effectiveTime(time: number | bigint, receivedAt: number): number | bigint {
  return time > receivedAt + FUTURE_MS_MAX ? receivedAt : time;
}

/**
 * For Client keys, whose holder chooses the time: a future time counts as the acceptance time, so
 * that it cannot beat later values.
 */
export function effectiveClientTime(time: number | bigint, receivedAt: number): number | bigint {
  return time > receivedAt ? receivedAt : time;
}

function isNewer(a: Stamp, b: Stamp | undefined): boolean {
  if (b === undefined) return true;
  if (a[2] !== b[2]) return b[2] === 'client';
  if (a[0] > b[0]) return true;
  return a[0] < b[0] ? false : a[1] > b[1];
}

/** Objects without a prototype: a field named `__proto__` is an ordinary field. */
export function emptyProfile(): Profile {
  return {
    fields: emptyObject(),
    customAttributes: emptyObject(),
    clocks: { fields: emptyObject(), custom: emptyObject() },
  };
}

function emptyObject<T>(): Record<string, T> {
  return Object.create(null) as Record<string, T>;
}

/**
 * Merges updates into a profile. Last write wins, field by field: an absent field keeps its value,
 * null clears it, custom attributes merge per key.
 *
 * Commutative, associative and idempotent over stamps, so the order of arrival does not matter.
 * Also returns for each update why one of its values was skipped; `client_key_field` comes before
 * `stale_profile_field`.
 */
export function mergeProfile(
  stored: Profile,
  updates: readonly StampedUpdate[],
): { readonly profile: Profile; readonly skipped: (SkipReason | null)[] } {
  const profile = copyProfile(stored);
  const skipped = updates.map((item): SkipReason | null => {
    const reasons = new Set([
      ...mergeFields(profile, item),
      ...mergeCustomAttributes(profile, item),
    ]);
    if (reasons.has('client_key_field')) return 'client_key_field';
    return reasons.has('stale_profile_field') ? 'stale_profile_field' : null;
  });
  dropCleared(profile);
  return { profile, skipped };
}

/** Merges two profiles of one person: the newer value of each field wins. */
export function joinProfiles(a: Profile, b: Profile): Profile {
  const joined = copyProfile(a);
  const other = copyProfile(b);
  for (const [name, stamp] of Object.entries(other.clocks.fields)) {
    if (isNewer(stamp, joined.clocks.fields[name]))
      setField(joined, name, { value: other.fields[name] ?? null, stamp });
  }
  for (const [name, stamp] of Object.entries(other.clocks.custom)) {
    if (isNewer(stamp, joined.clocks.custom[name]))
      setCustomAttribute(joined, name, { value: other.customAttributes[name] ?? null, stamp });
  }
  const { customCleared } = other.clocks;
  if (customCleared !== undefined && isNewer(customCleared, joined.clocks.customCleared))
    joined.clocks.customCleared = customCleared;
  dropCleared(joined);
  return joined;
}

type Draft = Profile & { readonly clocks: { customCleared?: Stamp } };
type Setting = { readonly value: unknown; readonly stamp: Stamp };

/**
 * Merges the fields into the draft, and returns why fields were skipped. So does
 * `mergeCustomAttributes`.
 */
function mergeFields(
  profile: Draft,
  { update, stamp, ignoresContacts = false }: StampedUpdate,
): SkipReason[] {
  return PROFILE_FIELDS.flatMap((field): SkipReason[] => {
    const value = update[field];
    if (value === undefined) return [];
    if (ignoresContacts && CONTACT_FIELDS.has(field)) return ['client_key_field'];
    const reasons = skipReasons(stamp, [profile.clocks.fields[field]]);
    if (reasons.length === 0) setField(profile, field, { value, stamp });
    return reasons;
  });
}

function mergeCustomAttributes(
  profile: Draft,
  { update: { customAttributes }, stamp }: StampedUpdate,
): SkipReason[] {
  const { clocks } = profile;
  if (customAttributes === undefined) return [];
  if (customAttributes === null) {
    const reasons = skipReasons(stamp, [clocks.customCleared]);
    if (reasons.length === 0) clocks.customCleared = stamp;
    return reasons;
  }
  return Object.entries(customAttributes).flatMap(([name, value]) => {
    const reasons = skipReasons(stamp, [clocks.custom[name], clocks.customCleared]);
    if (reasons.length === 0) setCustomAttribute(profile, name, { value, stamp });
    return reasons;
  });
}

/**
 * Why a value with this stamp does not replace the existing ones. Empty when it does, or when it is
 * one of them.
 */
function skipReasons(stamp: Stamp, standing: readonly (Stamp | undefined)[]): SkipReason[] {
  return standing.flatMap((other): SkipReason[] => {
    if (other === undefined || isNewer(stamp, other) || isSame(stamp, other)) return [];
    return [stamp[2] === other[2] ? 'stale_profile_field' : 'client_key_field'];
  });
}

/** Deletes custom attributes, with their stamps, that were set before all were cleared. */
function dropCleared({ clocks, customAttributes }: Draft): void {
  for (const [name, stamp] of Object.entries(clocks.custom)) {
    if (isNewer(stamp, clocks.customCleared)) continue;
    delete clocks.custom[name];
    delete customAttributes[name];
  }
}

function setField({ fields, clocks }: Draft, name: string, { value, stamp }: Setting): void {
  clocks.fields[name] = stamp;
  setOrClear(fields, name, value);
}

function setCustomAttribute(
  { customAttributes, clocks }: Draft,
  name: string,
  { value, stamp }: Setting,
): void {
  clocks.custom[name] = stamp;
  setOrClear(customAttributes, name, value);
}

function setOrClear(target: Record<string, unknown>, name: string, value: unknown): void {
  if (value === null) delete target[name];
  else target[name] = value;
}

/** Without prototypes: reading `constructor` must not find an inherited value. */
function copyProfile(profile: Profile): Draft {
  return {
    fields: copy(profile.fields),
    customAttributes: copy(profile.customAttributes),
    clocks: {
      ...profile.clocks,
      fields: copy(profile.clocks.fields),
      custom: copy(profile.clocks.custom),
    },
  };
}

function copy<T>(source: Readonly<Record<string, T>>): Record<string, T> {
  const target = emptyObject<T>();
  for (const [name, value] of Object.entries(source)) target[name] = value;
  return target;
}

/** Compares by order: the same Long may be a number or a bigint, depending on its JSON text. */
function isSame(a: Stamp, b: Stamp | undefined): boolean {
  return b !== undefined && !isNewer(a, b) && !isNewer(b, a);
}
