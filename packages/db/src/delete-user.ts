import { retry } from '@tidings/platform';
import { forgetRecipient } from './campaigns/forget-recipient.ts';
import { isTransactionConflict, type Database, type Sql } from './database.ts';
import { lockIdentities } from './ingest/deleted-identities.ts';
import { findPerson, forgetDeadLetters, forgetEvents, forgetPerson } from './ingest/forget-user.ts';
import { joinByIndex } from './join-by-index.ts';

const EVENTS_PER_STEP = 2_000;
/** Consumers, workers and retention write the same rows: whoever is ended for the sake of another tries again. */
const CONFLICT_SCHEDULE = { attemptsMax: 5, baseMs: 20, capMs: 200 };

/**
 * Deletes a user with the anonymous ones it turned out to be: profile, ids, events (held ones too), dead letters,
 * addresses in deliveries. Records accepted before now do not bring them back, whenever they are read; later ones make
 * a new user. False when nobody has this customUserId; a record of it that is still on its way is dropped all the same.
 * Cut short it has deleted some of the events; asked for again, the rest. @callers dashboard
 */
export async function deleteUser(db: Database, applicationId: string, customUserId: string): Promise<boolean> {
  // First what no consumer waits for: from the lock on, the application's records stand still.
  const known = await findPerson(db.sql, applicationId, customUserId);
  // While the events are there: some letters are known by them.
  await forgetDeadLetters(db.sql, known);
  await forgetManyEvents(db, known.userIds);
  return transact(db, async (sql) => {
    await joinByIndex(sql);
    await forgetRecipient(sql, known);
    await lockIdentities(sql, applicationId);
    const person = await findPerson(sql, applicationId, customUserId);
    await forgetPerson(sql, person);
    return person.userIds.length > 0;
  });
}

/** In short steps: nobody's records wait for as long as it takes to delete a million events. */
async function forgetManyEvents(db: Database, userIds: readonly string[]): Promise<void> {
  for (let deleted = EVENTS_PER_STEP; deleted === EVENTS_PER_STEP; ) {
    deleted = await transact(db, async (sql) => {
      await joinByIndex(sql);
      return forgetEvents(sql, userIds, EVENTS_PER_STEP);
    });
  }
}

function transact<T>(db: Database, work: (sql: Sql) => Promise<T>): Promise<T> {
  return retry(CONFLICT_SCHEDULE, () => db.transaction(work), { isRetryable: isTransactionConflict });
}
