import { forgetPersonInTestAddresses } from '@tidings/accounts/test-addresses';
import { forgetPersonInDrafts } from '@tidings/campaign-drafts/forget-person';
import { forgetPeople } from '@tidings/automations/forget-people';
import { forgetRehearsedPeople } from '@tidings/automation-rehearsal/forget-people';
import { deleteRecipient } from '@tidings/delivery/delete-recipient';
import { lockIdentities } from '@tidings/people/deleted-identities';
import { deleteUserDevices } from '@tidings/people/devices/devices';
import type { Clock } from '@tidings/platform';
import type { Database, Sql } from '@tidings/postgres/database';
import { forceIndexJoins } from '@tidings/postgres/force-index-joins';
import { retryConflicts } from '@tidings/postgres/retry-conflicts';
import {
  findPerson,
  deleteDeadLetters,
  deleteEvents,
  deletePerson,
  anonymizeReceipts,
  anonymizeRejectedRequests,
  anonymizeMessageKeys,
  type Person,
} from './delete-person.ts';

const ROWS_PER_STEP = 2_000;

type Deletion = {
  readonly applicationId: string;
  readonly customUserId: string;
  readonly clock: Clock;
  readonly rowsPerStep?: number;
};

/**
 * Deletes a user with all anonymous users merged into it: profile, ids (also in rejected requests),
 * events (held ones too), dead letters, devices, runs in automations and rehearsals, and addresses in deliveries, drafts
 * and test addresses.
 *
 * Records accepted before now, by `clock`, do not recreate the user, whenever they are consumed.
 * Later ones create a new user. False when no user has this customUserId; its records that are
 * still in flight are dropped even then.
 *
 * If interrupted, some events are deleted; a repeated call deletes the rest.
 * @callers api
 */
export async function deleteUser(db: Database, deletion: Deletion): Promise<boolean> {
  const { applicationId, customUserId, rowsPerStep = ROWS_PER_STEP } = deletion;
  for (;;) {
    // First, without the lock: once it is held, the application's records wait.
    const known = await findPerson(db.sql, applicationId, customUserId);
    // Before the events: some dead letters are found through them.
    await deleteDeadLetters(db.sql, known);
    await inSteps(db, rowsPerStep, (sql) =>
      deleteEvents(sql, known.userIds, { limit: rowsPerStep, waits: false }),
    );
    await inSteps(db, rowsPerStep, (sql) =>
      anonymizeMessageKeys(sql, known, { limit: rowsPerStep, waits: false }),
    );
    await inSteps(db, rowsPerStep, (sql) =>
      anonymizeRejectedRequests(sql, known, { limit: rowsPerStep, waits: false }),
    );
    // Records in flight write none of them, so nothing brings the person back.
    await forgetPersonInDrafts(db, known);
    await forgetPersonInTestAddresses(db, known);
    const deleted = await deleteRest(db, known, deletion);
    // Records applied meanwhile left too many rows for one transaction: delete those in steps, too.
    if (deleted === 'too_much') continue;
    // From here on no record can name them.
    if (deleted.length > 0) await anonymizeReceipts(db.sql, { applicationId, userIds: deleted });
    return deleted.length > 0;
  }
}

/** The ids of the deleted users. */
function deleteRest(
  db: Database,
  known: Person,
  { applicationId, customUserId, clock, rowsPerStep = ROWS_PER_STEP }: Deletion,
): Promise<readonly string[] | 'too_much'> {
  return transact(db, async (sql) => {
    await forceIndexJoins(sql);
    // First: it waits for the engine, which waits for no one while it has people of a shard.
    await forgetPeople(sql, known.userIds);
    await deleteRecipient(sql, known);
    await lockIdentities(sql, applicationId);
    const person = await findPerson(sql, applicationId, customUserId);
    await deleteUserDevices(sql, person.userIds);
    const isDeleted = await deletePerson(sql, person, {
      deletedAt: clock.now(),
      limit: rowsPerStep,
    });
    if (!isDeleted) return 'too_much';
    await forgetRehearsedPeople(sql, person.userIds);
    return person.userIds;
  });
}

/** Short transactions: consumers must not wait while a million events are deleted. */
async function inSteps(
  db: Database,
  rowsPerStep: number,
  work: (sql: Sql) => Promise<number>,
): Promise<void> {
  for (let done = rowsPerStep; done === rowsPerStep;) {
    done = await transact(db, async (sql) => {
      await forceIndexJoins(sql);
      return work(sql);
    });
  }
}

/** Retries conflicts: consumers, workers and retention write the same rows. */
function transact<T>(db: Database, work: (sql: Sql) => Promise<T>): Promise<T> {
  return retryConflicts(() => db.transaction(work));
}
