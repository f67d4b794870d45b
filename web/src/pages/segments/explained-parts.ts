import { nodeOf, type Condition } from '@tidings/contracts/segments/conditions';
import type { ExplainedPart } from '../../api/types.ts';
import { readAt } from '../../conditions/place.ts';

/** A line of an explanation. `node` is absent if its condition is not known here. */
export type Part = {
  readonly key: string;
  readonly depth: number;
  readonly node: Condition | undefined;
  readonly explained: ExplainedPart;
};

type Explained = { readonly condition: Condition; readonly tree: readonly ExplainedPart[] };
type Place = { readonly prefix: string; readonly depth: number };
const TOP: Place = { prefix: '', depth: 0 };

/** The parts of an explanation in order, those of segments below them. */
export function listParts(
  { condition, tree }: Explained,
  conditions: ReadonlyMap<string, Condition>,
  { prefix, depth }: Place = TOP,
): readonly Part[] {
  return tree.flatMap((explained) => {
    const { pointer } = explained;
    const node = readAt(condition, stepsOf(pointer)) as Condition | undefined;
    const here = depth + depthOf(pointer);
    const key = `${prefix}${pointer}`;
    const line: Part = { key, depth: here, node, explained };
    const read = node === undefined ? undefined : nodeOf(node);
    const named = read?.type === 'segment' ? conditions.get(read.leaf.segment) : undefined;
    if (named === undefined || explained.tree === undefined) return [line];
    const below = { condition: named, tree: explained.tree as readonly ExplainedPart[] };
    return [line, ...listParts(below, conditions, { prefix: `${key}/segment`, depth: here + 1 })];
  });
}

const stepsOf = (pointer: string): readonly string[] => pointer.split('/').slice(1);

/** Each group and each `not` on the way is a level. */
const depthOf = (pointer: string): number =>
  stepsOf(pointer).filter((step) => ['all', 'any', 'not'].includes(step)).length;
