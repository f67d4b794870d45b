import type { FieldError } from '@tidings/contracts/errors/error-codes';
import { LIMITS } from '@tidings/contracts/limits';
import { nodeOf, type Condition, type ConditionNode } from '@tidings/contracts/segments/conditions';
import { foldKey, type FunnelLeaf } from './compile/folded-leaves.ts';
import type { ConditionContext } from './condition-context.ts';

/** A segment that a condition names, and where. */
export type SegmentUse = { readonly slug: string; readonly pointer: string };

/** The segments that a condition names itself. */
export function listSegments(condition: Condition, pointer = ''): SegmentUse[] {
  const node = nodeOf(condition);
  switch (node.type) {
    case 'group':
      return node.children.flatMap((child, index) =>
        listSegments(child, `${pointer}/${node.key}/${index}`),
      );
    case 'not':
      return listSegments(node.child, `${pointer}/not`);
    case 'segment':
      return [{ slug: node.leaf.segment, pointer }];
    case 'fact':
      return [];
  }
}

type Fact = Extract<ConditionNode, { type: 'fact' }>;

/** Facts of a condition, also those of the segments that it names. */
export function factsOf(condition: Condition, segments: ConditionContext['segments']): Fact[] {
  const node = nodeOf(condition);
  switch (node.type) {
    case 'group':
      return node.children.flatMap((child) => factsOf(child, segments));
    case 'not':
      return factsOf(node.child, segments);
    case 'segment': {
      const named = segments.get(node.leaf.segment);
      return named === undefined ? [] : factsOf(named, segments);
    }
    case 'fact':
      return [node];
  }
}

/** Leaves about funnels, also those of the segments that a condition names. */
export const funnelLeavesOf = (
  condition: Condition,
  segments: ConditionContext['segments'],
): FunnelLeaf[] =>
  factsOf(condition, segments).flatMap(({ key, leaf }) =>
    key === 'funnel' ? [leaf as FunnelLeaf] : [],
  );

/** Leaves of a condition, without those of the segments that it names. */
function countLeaves(condition: Condition): number {
  const node = nodeOf(condition);
  switch (node.type) {
    case 'group':
      return node.children.reduce((sum, child) => sum + countLeaves(child), 0);
    case 'not':
      return countLeaves(node.child);
    case 'segment':
    case 'fact':
      return 1;
  }
}

/** What a condition names. */
export type NamedByConditions = Pick<ConditionContext, 'segments' | 'funnels'>;

/** The condition with those of the segments that it names in their places, and with its funnels. */
export function inlineSegments(condition: Condition, named: NamedByConditions): Condition {
  const inline = (child: Condition): Condition => inlineSegments(child, named);
  const node = nodeOf(condition);
  switch (node.type) {
    case 'group': {
      const children = node.children.map(inline);
      return node.key === 'all' ? { all: children } : { any: children };
    }
    case 'not':
      return { not: inline(node.child) };
    case 'segment': {
      const segment = named.segments.get(node.leaf.segment);
      return segment === undefined ? condition : inline(segment);
    }
    case 'fact': {
      if (node.key !== 'funnel') return condition;
      const leaf = node.leaf as FunnelLeaf;
      const funnel = typeof leaf.funnel === 'string' && named.funnels.get(leaf.funnel);
      return funnel === false || funnel === undefined ? condition : { ...leaf, funnel };
    }
  }
}

/** The funnels that a condition names itself. */
export const namedFunnels = (condition: Condition): string[] =>
  funnelLeavesOf(condition, new Map()).flatMap(({ funnel }) =>
    typeof funnel === 'string' ? [funnel] : [],
  );

/** Whether a condition without segments in it is larger than one that may be stored. */
export const hasTooManyLeaves = (condition: Condition): boolean =>
  countLeaves(condition) > LIMITS.expandedLeavesMax;

export const TOO_MANY_LEAVES = `more than ${LIMITS.expandedLeavesMax} leaves with those of its segments`;

/** Unknown segments, cycles, and bounds of segments within segments and of funnels. */
export function checkNesting(
  condition: Condition,
  { segments }: Pick<ConditionContext, 'segments'>,
  pointer: string,
): FieldError[] {
  let leaves = countLeaves(condition);
  const faults: FieldError[] = [];
  for (const use of listSegments(condition, pointer)) {
    const fault = walk(use.slug, []);
    if (fault !== null)
      faults.push({ pointer: `${use.pointer}/segment`, code: 'invalid_value', expected: fault });
  }
  if (faults.length === 0 && leaves > LIMITS.expandedLeavesMax)
    faults.push({
      pointer,
      code: 'too_many',
      expected: `at most ${LIMITS.expandedLeavesMax} leaves with those of its segments`,
    });
  // Each is folded before the statement.
  const funnels = faults.length > 0 ? [] : funnelLeavesOf(condition, segments).map(foldKey);
  if (new Set(funnels).size > LIMITS.conditionFunnelsMax)
    faults.push({
      pointer,
      code: 'too_many',
      expected: `at most ${LIMITS.conditionFunnelsMax} funnels with those of its segments`,
    });
  return faults;

  function walk(slug: string, path: readonly string[]): string | null {
    const named = segments.get(slug);
    if (named === undefined) return 'the slug of a segment';
    if (path.includes(slug)) return 'a segment that does not lead back to itself';
    if (path.length >= LIMITS.segmentDepthMax)
      return `at most ${LIMITS.segmentDepthMax} segments within each other`;
    leaves += countLeaves(named);
    // Beyond the limit nothing more is counted: each level may multiply the leaves.
    if (leaves > LIMITS.expandedLeavesMax) return null;
    return listSegments(named).reduce<string | null>(
      (fault, use) => fault ?? walk(use.slug, [...path, slug]),
      null,
    );
  }
}
