import { LIMITS } from '@tidings/contracts/limits';
import type { Condition } from '@tidings/contracts/segments/conditions';
import { funnelLeavesOf } from '../segment-nesting.ts';
import { SEGMENTS } from './create-population.ts';
import type { Drawn } from './leaf-model.ts';
import { FACT_KINDS, modelOf } from './leaves.ts';
import type { Random } from './random.ts';

/** A valid condition, the same for the same seed. */
export function createCondition(random: Random, of: Drawn): Condition {
  for (;;) {
    const condition = drawCondition(random, of, 1);
    if (funnelLeavesOf(condition, new Map()).length <= LIMITS.conditionFunnelsMax) return condition;
  }
}

function drawCondition(random: Random, of: Drawn, depth: number): Condition {
  if (depth < 4 && random.chance(depth === 1 ? 0.6 : 0.3)) {
    const children = random
      .some([0], random.integer(1, 3))
      .map(() => drawCondition(random, of, depth + 1));
    return random.pick<Condition>([
      { all: children },
      { any: children },
      { not: children[0] ?? { segment: 'vip' } },
    ]);
  }
  const kind = random.pick(KINDS);
  return kind === 'segment'
    ? { segment: random.pick([...SEGMENTS.keys()]) }
    : modelOf(kind).draw(random, of);
}

/** Each as often as its weight. */
const KINDS = [
  'segment' as const,
  ...FACT_KINDS.flatMap((kind) => Array.from({ length: modelOf(kind).weight }, () => kind)),
];
