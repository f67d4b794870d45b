import type {
  FactCondition,
  FactKind,
  LeafOf,
} from '@tidings/contracts/segments/leaves/descriptors';
import { attribute } from './attribute.ts';
import { event } from './event.ts';
import { field } from './field.ts';
import { funnel } from './funnel.ts';
import type { Leaf } from './leaf.ts';
import { message } from './message.ts';
import { reachable } from './reachable.ts';

const LEAVES = {
  field,
  attribute,
  event,
  funnel,
  reachable,
  message,
} as const satisfies { readonly [Kind in FactKind]: Leaf<LeafOf<Kind>> };

export const leafOf = (kind: FactKind): Leaf<FactCondition> => LEAVES[kind];
