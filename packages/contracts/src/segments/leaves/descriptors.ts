import { attribute } from './attribute.ts';
import type { LeafDescriptor } from './descriptor.ts';
import { event } from './event.ts';
import { field } from './field.ts';
import { funnel } from './funnel.ts';
import { message } from './message.ts';
import { reachable } from './reachable.ts';
import { segment } from './segment.ts';

/** The kinds of conditions without others inside, by their keys. A new kind begins here; `docs/structure.md` lists what follows. */
const DESCRIPTORS = {
  field,
  attribute,
  event,
  funnel,
  segment,
  reachable,
  message,
} as const satisfies Readonly<Record<string, LeafDescriptor<object>>>;

export type LeafKind = keyof typeof DESCRIPTORS;
export const LEAF_KINDS = Object.keys(DESCRIPTORS) as readonly LeafKind[];

/** Kinds that ask for facts about a user. A segment stands for its condition. */
export type FactKind = Exclude<LeafKind, 'segment'>;

/** A condition of this kind: `LeafOf<'event'>`. */
export type LeafOf<Kind extends LeafKind> = Parameters<(typeof DESCRIPTORS)[Kind]['words']>[0];
/** A condition without others inside. */
export type LeafCondition = LeafOf<LeafKind>;
export type FactCondition = LeafOf<FactKind>;

export const LEAF_DESCRIPTORS: {
  readonly [Kind in LeafKind]: LeafDescriptor<LeafOf<Kind>>;
} = DESCRIPTORS;

/** The kinds whose descriptor matches this shape. */
export type LeafWith<Shape> = {
  [Kind in LeafKind]: (typeof DESCRIPTORS)[Kind] extends Shape ? Kind : never;
}[LeafKind];
