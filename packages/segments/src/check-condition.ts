import { LIMITS } from '@tidings/contracts/limits';
import { nodeOf, type Condition } from '@tidings/contracts/segments/conditions';
import { DEPTH_EXPECTED } from './condition-bounds.ts';
import type { ConditionContext } from './condition-context.ts';
import type { Findings } from './findings.ts';
import { leafOf } from './leaves/leaves.ts';
import { checkNesting } from './segment-nesting.ts';

/** Checks a condition of the right shape: what needs the application, and bounds of the whole. */
export function checkCondition(
  condition: Condition,
  context: ConditionContext,
  pointer: string,
): Findings {
  const findings: Findings = { errors: [], warnings: [] };
  const leaves = checkNode({ findings, context }, condition, { pointer, depth: 1 });
  if (leaves > LIMITS.conditionLeavesMax)
    findings.errors.push({
      pointer,
      code: 'too_many',
      expected: `at most ${LIMITS.conditionLeavesMax} leaves`,
    });
  else findings.errors.push(...checkNesting(condition, context, pointer));
  return findings;
}

type Check = { readonly findings: Findings; readonly context: ConditionContext };
type Place = { readonly pointer: string; readonly depth: number };

/** Returns the number of leaves. */
function checkNode(check: Check, condition: Condition, { pointer, depth }: Place): number {
  if (depth > LIMITS.conditionDepthMax) {
    check.findings.errors.push({ pointer, code: 'too_deep', expected: DEPTH_EXPECTED });
    return 1;
  }
  const below = (child: Condition, step: string): number =>
    checkNode(check, child, { pointer: `${pointer}/${step}`, depth: depth + 1 });
  const node = nodeOf(condition);
  switch (node.type) {
    case 'group':
      return node.children.reduce(
        (leaves, child, index) => leaves + below(child, `${node.key}/${index}`),
        0,
      );
    case 'not':
      return below(node.child, 'not');
    case 'segment':
      return 1;
    case 'fact':
      leafOf(node.key).check(node.leaf, { ...check, pointer });
      return 1;
  }
}
