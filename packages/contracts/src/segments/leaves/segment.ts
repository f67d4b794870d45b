import type { LeafDescriptor } from './descriptor.ts';
import { SLUG } from './schemas.ts';

type SegmentCondition = { readonly segment: string };

export const segment = {
  meaning: 'the condition of that segment is true',
  schema: { properties: { segment: SLUG } },
  label: 'Segment',
  begins: ['in', 'not in'],
  initial: { segment: '' },
  names: ['segment'],
  words: (node, say) => `in the segment “${say.segment(node.segment)}”`,
  fields: [{ input: 'segment', label: 'Segment', at: ['segment'] }],
} as const satisfies LeafDescriptor<SegmentCondition>;
