import type { IngestRecord } from '@tidings/contracts/ingest/ingest-record';
import { LIMITS } from '@tidings/contracts/limits';
import { systemIds } from '@tidings/platform';
import type { Identity } from './identity.ts';

/** The user of a customUserId. `isNew`: created by this transaction. */
export type EnsuredUser = {
  readonly userId: string;
  readonly isNew: boolean;
  readonly isRegistered: boolean;
};

/** The user of a serviceUserId; anonymous until a customUserId is known. */
export type Owner = { readonly userId: string; readonly isAnonymous: boolean };

/** A serviceUserId to assign to a user. `isNewUser`: the anonymous user must be created. */
export type Claim = {
  readonly applicationId: string;
  readonly serviceUserId: string;
  readonly userId: string;
  readonly isNewUser: boolean;
  /** Joined to a person by a Client key without a user token. */
  readonly isByClient: boolean;
};

export type Merge = {
  readonly anonymousId: string;
  readonly userId: string;
  readonly isByClient: boolean;
};

export type Plan = {
  readonly identities: ReadonlyMap<string, Identity>;
  readonly claims: readonly Claim[];
  readonly merges: readonly Merge[];
  /** New users without a serviceUserId in any record; the service assigns one. */
  readonly withoutServiceUserId: readonly {
    readonly applicationId: string;
    readonly userId: string;
  }[];
};

export type KnownIdentities = {
  /** By customUserId, under {@link identityKey}. */
  readonly users: ReadonlyMap<string, EnsuredUser>;
  /** By serviceUserId, under {@link identityKey}. */
  readonly owners: ReadonlyMap<string, Owner & { readonly isRegistered: boolean }>;
  /**
   * Whether a record may join a serviceUserId to a person. A Client key alone may not: it is
   * visible in every page.
   */
  readonly isTrusted: (record: IngestRecord) => boolean;
  /**
   * Per person, the number of serviceUserIds joined by Client keys without a user token. A missing
   * person has none.
   */
  readonly joinedByClients: ReadonlyMap<string, number>;
  /** Whether a device of this anonymous user proves the person. */
  readonly isProvedByDevice: (anonymousId: string, userId: string) => boolean;
};

export function identityKey(applicationId: string, id: string): string {
  return `${applicationId}:${id}`;
}

/**
 * Whether an id joined by the record counts towards the limit of the person. The limit protects
 * against floods by the public Client key.
 */
export function countsTowardsJoinLimit({ keyType, userProof }: IngestRecord): boolean {
  return keyType === 'client' && userProof !== 'token';
}

/**
 * Decides the user of each record, and what must be written. Processes the records in order. Pure,
 * except for new ids.
 */
export function planIdentities(records: readonly IngestRecord[], known: KnownIdentities): Plan {
  const draft: Draft = {
    claims: [],
    merges: [],
    owners: new Map<string, Owner>(known.owners),
    mergedInto: new Map(),
    joinedByClients: new Map(known.joinedByClients),
  };
  const identities = new Map<string, Identity>();
  const registered = new Set(
    [...known.users.values(), ...known.owners.values()].flatMap(({ userId, isRegistered }) =>
      isRegistered ? userId : [],
    ),
  );
  for (const record of records) {
    const identity = identify(record, known, draft);
    const isRegistered = identity.userId !== null && registered.has(identity.userId);
    identities.set(record.requestId, { ...identity, isRegistered });
  }

  const withServiceUserId = new Set(
    [...draft.owners.keys()].map((key) => findOwner(draft, key)?.userId),
  );
  const withoutServiceUserId = [...known.users]
    .filter(([, { userId, isNew }]) => isNew && !withServiceUserId.has(userId))
    .map(([key, { userId }]) => ({ applicationId: key.slice(0, key.indexOf(':')), userId }));
  return { identities, claims: draft.claims, merges: draft.merges, withoutServiceUserId };
}

/** What is known after the records before, and what they write. */
type Draft = {
  readonly claims: Claim[];
  readonly merges: Merge[];
  readonly owners: Map<string, Owner>;
  /** Person by merged anonymous user. */
  readonly mergedInto: Map<string, string>;
  readonly joinedByClients: Map<string, number>;
};

function identify(
  record: IngestRecord,
  known: KnownIdentities,
  draft: Draft,
): Omit<Identity, 'isRegistered'> {
  const { applicationId, customUserId, serviceUserId } = record;
  const user =
    customUserId === null ? undefined : known.users.get(identityKey(applicationId, customUserId));
  const isTrusted = known.isTrusted(record);
  if (serviceUserId === null) return { userId: user?.userId ?? null, isProved: isTrusted };
  const key = identityKey(applicationId, serviceUserId);
  const owner = findOwner(draft, key);
  if (user === undefined) {
    const userId =
      owner?.userId ??
      claim(draft, key, {
        applicationId,
        serviceUserId,
        userId: systemIds.uuid(),
        isNewUser: true,
        isByClient: false,
      });
    return { userId, isProved: isTrusted || owner?.isAnonymous === false };
  }
  const { userId } = user;
  if (owner?.userId === userId) return { userId, isProved: true };
  if (owner?.isAnonymous === false) return { reason: 'identity_conflict', userId, isProved: false };
  const isProvedByDevice = owner !== undefined && known.isProvedByDevice(owner.userId, userId);
  // Resolved as if only the customUserId had been sent.
  if (!isTrusted && !isProvedByDevice)
    return { userId, isProved: false, remark: 'identity_unproved' };
  if (!countJoin(draft, record, userId))
    return { userId, isProved: true, ...(!isProvedByDevice && { remark: 'identity_unproved' }) };
  const isByClient = countsTowardsJoinLimit(record);
  if (owner === undefined) {
    claim(draft, key, { applicationId, serviceUserId, userId, isNewUser: false, isByClient });
    return { userId, isProved: true };
  }
  draft.merges.push({ anonymousId: owner.userId, userId, isByClient });
  draft.mergedInto.set(owner.userId, userId);
  return { userId, isProved: true, anonymousId: owner.userId };
}

function findOwner({ owners, mergedInto }: Draft, key: string): Owner | undefined {
  const owner = owners.get(key);
  const person = owner && mergedInto.get(owner.userId);
  return person === undefined ? owner : { userId: person, isAnonymous: false };
}

function claim({ claims, owners }: Draft, key: string, made: Claim): string {
  claims.push(made);
  owners.set(key, { userId: made.userId, isAnonymous: made.isNewUser });
  return made.userId;
}

/** Returns false if the person has its maximum number of ids joined by Client keys. */
function countJoin({ joinedByClients }: Draft, record: IngestRecord, userId: string): boolean {
  if (!countsTowardsJoinLimit(record)) return true;
  const joined = joinedByClients.get(userId) ?? 0;
  if (joined >= LIMITS.clientServiceUserIdsMax) return false;
  joinedByClients.set(userId, joined + 1);
  return true;
}
