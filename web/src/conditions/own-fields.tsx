import type {
  LeafCondition,
  LeafKind,
  LeafOf,
  LeafWith,
} from '@tidings/contracts/segments/leaves/descriptors';
import type { ReactNode } from 'react';
import { AttributeFields } from './attribute-fields.tsx';
import { readComparison } from './comparison.ts';
import { EventFields, isSimpleEvent } from './event-fields.tsx';
import { FieldFields } from './field-fields.tsx';
import { FunnelFields, isSimpleFunnel } from './funnel-fields.tsx';
import { isSimpleMessage, MessageFields } from './message-fields.tsx';
import type { LeafProps } from './leaf-props.ts';
import { useSuggestions } from './use-suggestions.ts';

/** Fields of a kind of condition that are a component of their own. */
export type OwnFields<Node> = {
  /** Whether they show all of it. */
  covers(node: Node): boolean;
  Fields(props: LeafProps<Node>): ReactNode;
};

const OWN_FIELDS = {
  attribute: {
    covers: (node) => node.proved === undefined && readComparison(node) !== null,
    Fields: OwnAttributeFields,
  },
  field: {
    covers: (node) => node.proved === undefined && readComparison(node) !== null,
    Fields: FieldFields,
  },
  event: { covers: isSimpleEvent, Fields: EventFields },
  funnel: { covers: isSimpleFunnel, Fields: FunnelFields },
  message: { covers: isSimpleMessage, Fields: MessageFields },
} as const satisfies {
  readonly [Kind in LeafWith<{ readonly fields: null }>]: OwnFields<LeafOf<Kind>>;
};

function OwnAttributeFields({ node, pointer, onChange }: LeafProps<LeafOf<'attribute'>>) {
  const suggestions = useSuggestions();
  return <AttributeFields label="Attribute" {...{ node, pointer, onChange, suggestions }} />;
}

/** Those of a kind; undefined if its descriptor has its fields. */
export function ownFieldsOf(kind: LeafKind): OwnFields<LeafCondition> | undefined {
  const all: { readonly [Kind in LeafKind]?: OwnFields<LeafCondition> } = OWN_FIELDS;
  return all[kind];
}
