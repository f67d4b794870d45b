import type { Sql } from '@tidings/postgres/database';
import { createFold, type Fold } from '../fold.ts';
import { createGroups, type Groups } from '../groups.ts';
import type { Memory } from '../memory.ts';
import type { PersonIds } from '../person-ids.ts';
import { readStepEvents, type AskedEvents } from './read-step-events.ts';

export type AskedSteps = Omit<AskedEvents, 'end' | 'group'> & {
  readonly windowMs: number;
  /** SQL of a value of events `e`, a jsonb: those of first events are the groups of persons. */
  readonly group?: string | null;
};

/** Persons who did the first step, and how far each came. */
export type FoldedSteps = {
  readonly persons: PersonIds;
  readonly fold: Fold;
  readonly groups: Groups;
};

/** Folds the events of some steps, as `readStepEvents` reads them. @throws TooManyPersons */
export async function foldSteps(
  sql: Sql,
  { windowMs, group = null, ...asked }: AskedSteps,
  memory: Memory,
): Promise<FoldedSteps> {
  const groups = createGroups();
  const hasGroups = group !== null;
  const fold = createFold(
    { steps: asked.steps.length, windowMs, groups: hasGroups ? groups : null },
    memory,
  );
  const { persons } = await readStepEvents(
    sql,
    {
      ...asked,
      end: asked.to + windowMs,
      group: hasGroups ? { value: group, groups } : null,
    },
    { memory, visit: fold.applyEvents },
  );
  return { persons, fold, groups };
}
