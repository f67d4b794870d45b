import type { Condition } from '@tidings/contracts/segments/conditions';
import { DEFINITIONS } from '@tidings/segments/testing';

/** What happened to a person: a profile, an identity, an event by its slug, a campaign by its id. */
export type Happening = 'profile' | 'identity' | `event ${string}` | `campaign ${string}`;

/** Each fact of a condition, as it is written. */
function factsOf(condition: Condition, segments: ReadonlyMap<string, Condition>): object[] {
  const of = (child: Condition): object[] => factsOf(child, segments);
  if ('all' in condition) return condition.all.flatMap(of);
  if ('any' in condition) return condition.any.flatMap(of);
  if ('not' in condition) return of(condition.not);
  if (!('segment' in condition)) return [condition];
  const named = segments.get(condition.segment);
  return named === undefined ? [] : of(named);
}

/** A slug, those that are one with it, and the name by which conditions may say it. */
function spellings(slug: string): readonly string[] {
  const own = DEFINITIONS.find((each) => each.slug === slug);
  const root = own?.mergedInto ?? slug;
  return DEFINITIONS.filter((each) => [each.slug, each.mergedInto].includes(root)).flatMap(
    (each) => [each.slug, each.name],
  );
}

/** Whether a condition asks about what happened: by its text, without the code that hears changes. */
export const isMentioned = (
  happening: Happening,
  condition: Condition,
  segments: ReadonlyMap<string, Condition>,
): boolean =>
  happening === 'identity' ||
  factsOf(condition, segments).some((fact) => {
    const text = JSON.stringify(fact);
    const [what, id = ''] = happening.split(' ', 2);
    if (what === 'profile') return 'field' in fact || 'attribute' in fact;
    if (what === 'campaign') return text.includes(id);
    return spellings(id).some((each) => text.includes(JSON.stringify(each)));
  });
