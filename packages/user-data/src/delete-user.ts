import { forgetRecipient } from '@tidings/delivery/forget-recipient';
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
 * Deletes a user with the anonymous ones it turned out to be: profile, ids, also those in refused requests, events (held
 * ones too), dead letters, devices, addresses in deliveries. Records accepted before now, by the clock given, do not bring
 * them back, whenever they are read; later ones make a new user. False when nobody has this customUserId; a record of it that is still on its way is
 * dropped all the same. Cut short it has deleted some of the events; asked for again, the rest. @callers api
 */
export async function deleteUser(db: Database, deletion: Deletion): Promise<boolean> {
  const { applicationId, customUserId, rowsPerStep = ROWS_PER_STEP } = deletion;
  for (;;) {
    // First what no consumer waits for: from the lock on, the application's records stand still.
    const known = await findPerson(db.sql, applicationId, customUserId);
    // While the events are there: some letters are known by them.
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
    const deleted = await deleteRest(db, known, deletion);
    // Much was added meanwhile, by the user or by one who turned out to be the same: that goes in steps as well.
    if (deleted === 'too_much') continue;
    // Only now does no record name them any more.
    if (deleted.length > 0) await anonymizeReceipts(db.sql, { applicationId, userIds: deleted });
    return deleted.length > 0;
  }
}

/** The users who are gone. */
function deleteRest(
  db: Database,
  known: Person,
  { applicationId, customUserId, clock, rowsPerStep = ROWS_PER_STEP }: Deletion,
): Promise<readonly string[] | 'too_much'> {
  return transact(db, async (sql) => {
    await forceIndexJoins(sql);
    await forgetRecipient(sql, known);
    await lockIdentities(sql, applicationId);
    const person = await findPerson(sql, applicationId, customUserId);
    await deleteUserDevices(sql, person.userIds);
    const isDeleted = await deletePerson(sql, person, {
      deletedAt: clock.now(),
      limit: rowsPerStep,
    });
    return isDeleted ? person.userIds : 'too_much';
  });
}

/** In short steps: nobody's records wait for as long as it takes to delete a million events. */
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

/** Consumers, workers and retention write the same rows. */
function transact<T>(db: Database, work: (sql: Sql) => Promise<T>): Promise<T> {
  return retryConflicts(() => db.transaction(work));
}
