import type { LeafOf } from '@tidings/contracts/segments/leaves/descriptors';
import { checkComparison } from '../check-comparison.ts';
import { compileComparison, compileInstants } from '../compile/comparisons.ts';
import { jsonPath } from '../compile/json-path.ts';
import { ifProved, valueEvidence } from '../compile/profile-values.ts';
import type { Leaf } from './leaf.ts';

/** A custom attribute. */
export const attribute: Leaf<LeafOf<'attribute'>> = {
  compile(parts, node) {
    const [key = ''] = [node.attribute].flat();
    const path = jsonPath(parts, 'u.custom_attributes', node.attribute);
    const value = node.proved === true ? ifProved(parts, path, { of: 'custom', key }) : path;
    const comparison = { ...node, dates: 'text' } as const;
    return {
      truth: compileComparison(parts, value, comparison),
      evidence: valueEvidence(value),
      ...(parts.hasRechecks && { rechecks: compileInstants(parts, value, comparison) }),
    };
  },
  check(node, { pointer, findings }) {
    findings.errors.push(...checkComparison(node, pointer));
  },
  isOfNow: true,
  isLive: () => true,
  hears: () => ({ profile: true }),
};
