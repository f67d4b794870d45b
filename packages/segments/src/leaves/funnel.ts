import { leafKey, type FunnelLeaf } from '../compile/folded-leaves.ts';
import { join } from '../compile/statement-parts.ts';
import { checkFunnel } from './check-funnel.ts';
import type { Leaf } from './leaf.ts';

/** Whether the user is one of those of a number of a funnel, which were folded before. */
export const funnel: Leaf<FunnelLeaf> = {
  compile(parts, node) {
    const folded = parts.folded?.get(leafKey(node));
    if (folded === undefined) throw new Error('a funnel of a condition was not folded');
    const { add } = parts.parameters;
    const ids = add(folded.ids, 'uuid[]');
    // Only an explanation names its evidence: a statement names each of its parameters.
    if (parts.shape !== 'all')
      return {
        truth: `u.id = any(${ids})`,
        evidence:
          parts.shape === 'explain' ? add(JSON.stringify(folded.evidence), 'jsonb') : 'null::jsonb',
      };
    const alias = join(parts, `select f.id as user_id from unnest(${ids}) as f(id)`);
    return { truth: `(${alias}.user_id is not null)`, evidence: 'null::jsonb' };
  },
  check: checkFunnel,
  isOfNow: false,
  // Time alone moves persons from open to dropped, and their events are folded for each question.
  isLive: () => false,
  hears: () => ({}),
};
