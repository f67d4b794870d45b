import { createMemory } from '@tidings/folds/memory';
import { foldFunnel } from '@tidings/segments/compile/fold-funnel';
import type { PartReport } from '../report/figures.ts';
import type { Asked } from '../segments/ask.ts';
import { askAll, MEMORY_MIB, readContext } from './ask.ts';
import { LONGEST_FUNNEL, rangeOf } from './funnels.ts';

const BYTES_MAX_OF_STEP = 24;
const GROWTH_MAX = 1.1;
const DAYS = 90;

/** What a question keeps for a person, with its id: of all events, and of a quarter of them. */
export async function measureState(asked: Asked): Promise<PartReport> {
  console.error('state …');
  const context = await readContext(asked);
  const bytesOf = (days: number) =>
    askAll(asked, async (sql) => {
      const now = Date.now() - (DAYS - days) * 86_400_000;
      const memory = createMemory(MEMORY_MIB);
      const { persons } = await foldFunnel(
        sql,
        { context, funnel: LONGEST_FUNNEL, ...rangeOf(now, days), now },
        memory,
      );
      return { persons: persons.size, bytes: memory.used };
    });
  const quarter = await bytesOf(DAYS / 4);
  const all = await bytesOf(DAYS);
  const perPerson = (of: typeof all): number => of.bytes / of.persons;
  const { events } = asked.sizes;
  return {
    title: `State of ${LONGEST_FUNNEL.steps.length} steps, with the ids of persons`,
    figures: [
      {
        name: 'a person who entered',
        value: perPerson(all),
        unit: 'bytes',
        goal: { atMost: BYTES_MAX_OF_STEP * LONGEST_FUNNEL.steps.length },
        note: `${all.persons} persons of ${events} events`,
      },
      {
        name: 'the same beside a quarter of the events',
        value: perPerson(all) / perPerson(quarter),
        unit: 'ratio',
        goal: { atMost: GROWTH_MAX },
        note: `${quarter.persons} persons`,
      },
    ],
    data: { quarter, all },
  };
}
