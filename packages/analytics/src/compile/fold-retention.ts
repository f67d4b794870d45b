import { readStepEvents } from '@tidings/folds/compile/read-step-events';
import { createSettings, type Settings } from '@tidings/folds/compile/settings';
import type { Memory } from '@tidings/folds/memory';
import type { PersonIds } from '@tidings/folds/person-ids';
import { copyOut } from '@tidings/postgres/copy-out';
import type { Sql } from '@tidings/postgres/database';
import { compileWhere, isOneOf, slugsOf } from '@tidings/segments/compile/named-event';
import type { StatementParts } from '@tidings/segments/compile/statement-parts';
import type { ConditionContext } from '@tidings/segments/condition-context';
import type { RetentionQuestion } from '../retention/read-retention.ts';
import { createReturnsFold, type ReturnsFold } from '../retention/fold-returns.ts';

/** Who comes back after a first event in `[from, to)`, at one moment. In milliseconds. */
export type RetentionOf = RetentionQuestion & {
  readonly context: ConditionContext;
  readonly from: number;
  readonly to: number;
  readonly now: number;
  /** Where periods begin: as many as there are cohorts, and `periods` more. */
  readonly starts: readonly number[];
  /** Cells of a cohort. */
  readonly periods: number;
  /** Only persons whose first stored start lies in the range. */
  readonly isFirstEver: boolean;
  /** Whether a return counts in the cells before its own too. */
  readonly isUnbounded: boolean;
};

type FoldedRetention = {
  readonly persons: PersonIds;
  readonly fold: ReturnsFold;
  readonly parts: StatementParts;
  readonly settings: Settings;
};

const [START, RETURN] = [1, 2];

/**
 * Reads both events in slices of time and folds them. In one transaction that sees one moment.
 * Memory grows with the persons who start, not with their events.
 * @throws TooManyPersons
 */
export async function foldRetention(
  sql: Sql,
  of: RetentionOf,
  memory: Memory,
): Promise<FoldedRetention> {
  const { context, start, returns, from, to, now, starts } = of;
  const settings = createSettings();
  const application = settings.add(context.applicationId, 'uuid');
  const parts: StatementParts = {
    shape: 'all',
    context,
    parameters: settings,
    now,
    application,
    joins: [],
  };
  const steps = [start, returns].map((step) => ({
    slugs: slugsOf(parts, step),
    where: compileWhere(parts, step.where),
  }));
  const fold = createReturnsFold(of, memory);
  const { persons, merged } = await readStepEvents(
    sql,
    {
      applicationId: context.applicationId,
      steps,
      settings,
      from,
      to,
      end: of.isUnbounded ? now + 1 : (starts.at(-1) ?? to),
      now,
    },
    {
      memory,
      visit: (person, time, { steps: masks }) => {
        const mask = masks.reduce((bits, each) => bits | each, 0);
        fold.apply(person, time, {
          isStart: (mask & START) !== 0,
          isReturn: (mask & RETURN) !== 0,
        });
      },
    },
  );
  if (of.isFirstEver) await leaveOutEarlier();
  return { persons, fold, parts, settings };

  /** Of each person one event is enough, but a `distinct` would sort them all. */
  async function leaveOutEarlier(): Promise<void> {
    const matches = [
      `e.application_id = ${application} and e.user_id is not null`,
      isOneOf(parts, 'e.slug', slugsOf(parts, start)),
      `e.time < ${settings.add(from, 'bigint')}`,
      ...compileWhere(parts, start.where),
    ];
    await settings.apply(sql);
    await copyOut(sql, `select e.user_id from events e where ${matches.join(' and ')}`, {
      fields: 1,
      onRow: ({ bytes, offsets }) => {
        const id = merged.resolve(bytes, offsets[0] as number);
        const person = persons.find(id.bytes, id.offset);
        if (person >= 0) fold.leaveOut(person);
      },
    });
  }
}
