import type { Condition } from '@tidings/contracts/segments/conditions';
import { mayFollow } from './events.ts';
import type { Person, Population } from './population.ts';

type OpenLeaf = {
  readonly pointer: string;
  readonly isOpen: (person: Person, of: Population) => boolean;
};

/** The questions of a condition about an event that does not follow in time. */
export function listOpen(condition: Condition, pointer = ''): readonly OpenLeaf[] {
  if ('all' in condition)
    return condition.all.flatMap((child, index) => listOpen(child, `${pointer}/all/${index}`));
  if ('any' in condition)
    return condition.any.flatMap((child, index) => listOpen(child, `${pointer}/any/${index}`));
  if (!('event' in condition)) return [];
  const asked = (['notFollowedBy', 'neverFollowedBy'] as const).filter(
    (key) => condition[key] !== undefined,
  );
  const [key] = asked;
  if (key === undefined || asked.length > 1 || condition[key]?.in === undefined) return [];
  return [
    {
      pointer: `${pointer}/${key}`,
      isOpen: (person, of) => mayFollow(condition, person, of),
    },
  ];
}
