import type { FindMembers } from '@tidings/delivery/snapshots';
import { TooManyPersons } from '@tidings/folds/memory';
import type { Database } from '@tidings/postgres/database';
import { findAudience } from '@tidings/segments/audience';
import { foldLeavesApart } from '@tidings/segments/fold-leaves';
import { compileMembers } from '@tidings/segments/members';
import { localSettings, QUESTION_DEFAULTS, readNow } from '@tidings/segments/question-queue';

const SETTINGS = localSettings({
  name: 'tidings-snapshots',
  workMemMiB: QUESTION_DEFAULTS.workMemMiB,
});
/** Of the funnels of a condition: others wait for them. */
const FOLD_MS_MAX = 120_000;

/**
 * The statement for the recipients of an audience, as it is now. Funnels are folded before, in a
 * transaction of their own that sees one moment, one campaign at a time: each takes memory.
 */
export function createFindMembers(db: Database, memoryMiB: number): FindMembers {
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const next = last.then(work);
    last = next.catch(() => undefined);
    return next;
  };
  return async (sql, { applicationId, audience, timeoutMs, signal }) => {
    await sql.query(SETTINGS);
    const found = await findAudience(sql, applicationId, audience);
    if ('failure' in found) return found;
    const question = { ...found.asked, now: await readNow(sql) };
    const asked = { ...question, conditions: [question.condition] };
    try {
      const folded = await inTurn(() =>
        foldLeavesApart(db, asked, {
          memoryMiB,
          timeoutMs: Math.min(timeoutMs, FOLD_MS_MAX),
          signal,
        }),
      );
      return { audience: found.audience, members: compileMembers(question, folded) };
    } catch (error) {
      if (!(error instanceof TooManyPersons)) throw error;
      return {
        failure: {
          reason: 'too_many_persons',
          detail: `More persons entered a funnel of its condition than ${memoryMiB} MiB hold. Choose a shorter time in which they entered.`,
        },
      };
    }
  };
}
