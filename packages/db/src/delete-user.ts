import { forgetRecipient } from './campaigns/forget-recipient.ts';
import type { Database } from './database.ts';
import { lockIdentities } from './ingest/deleted-identities.ts';
import { findPerson, forgetDeadLetters, forgetPerson } from './ingest/forget-user.ts';

/**
 * Deletes a user with the anonymous ones it turned out to be: profile, ids, events (held ones too), dead letters,
 * addresses in deliveries. Records accepted before now do not bring them back, whenever they are read; later ones make
 * a new user. False when nobody has this customUserId; a record of it that is still on its way is dropped all the same.
 * @callers dashboard
 */
export async function deleteUser(db: Database, applicationId: string, customUserId: string): Promise<boolean> {
  return db.transaction(async (sql) => {
    // First what no consumer waits for: from the lock on, the application's records stand still.
    const known = await findPerson(sql, applicationId, customUserId);
    await forgetDeadLetters(sql, known);
    await forgetRecipient(sql, known);
    await lockIdentities(sql, applicationId);
    const person = await findPerson(sql, applicationId, customUserId);
    await forgetPerson(sql, person);
    return person.userIds.length > 0;
  });
}
