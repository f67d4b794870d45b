import { useMemo, useState } from 'react';
import { PROFILE_FIELDS } from '@tidings/contracts/ingest/ingest';
import type { Condition } from '@tidings/contracts/segments/conditions';
import { DERIVED_FIELDS } from '@tidings/contracts/segments/leaves/field';
import {
  LEAF_DESCRIPTORS,
  LEAF_KINDS,
  type LeafKind,
} from '@tidings/contracts/segments/leaves/descriptors';
import { formatShare, humanize } from '../lib/format.ts';
import { toOptions, type Option } from '../ui/options.ts';
import { SuggestField } from '../ui/suggest-field.tsx';
import { fieldCondition } from './field-condition.ts';
import { useBuilderFacts } from './builder-context.ts';
import { ofAttribute } from './attribute-condition.ts';
import { attributeOptions, useSuggestions } from './use-suggestions.ts';
import { pathText } from './path-text.ts';

/** What can be added, and the condition that it begins with. */
type Addable = Option & { readonly condition: Condition };

/** Adds what is found by its name or value: an event, an attribute, a field, a funnel, a segment, a message, a group. */
export function AddCondition({ onAdd }: { readonly onAdd: (condition: Condition) => void }) {
  const { events, funnels, segments } = useBuilderFacts();
  const suggested = useSuggestions();
  const [text, setText] = useState('');
  const addables = useMemo(
    () => listAddables({ events, funnels, segments, suggested }),
    [events, funnels, segments, suggested],
  );
  return (
    <div className="condition-line condition-adder">
      <SuggestField
        label="Add a condition"
        placeholder="Add an event, a field, “Berlin” …"
        takesFirst
        value={text}
        onChange={setText}
        options={addables}
        onChoose={({ value: chosen }) => {
          setText('');
          const added = addables.find(({ value }) => value === chosen);
          if (added !== undefined) onAdd(added.condition);
        }}
      />
    </div>
  );
}

const FIELDS = toOptions([...PROFILE_FIELDS, ...DERIVED_FIELDS]);

/** An option of a kind; the same name may stand in several. */
const added =
  (kind: string, toCondition: (option: Option, index: number) => Condition) =>
  (option: Option, index: number): Addable => ({
    ...option,
    hint: option.hint === undefined ? kind : `${kind} · ${option.hint}`,
    value: `${kind} ${option.value}`,
    condition: toCondition(option, index),
  });

type Valued = NonNullable<ReturnType<typeof useSuggestions>>['fields'][number];

/** Frequent values as conditions of their own: “City is Berlin”. */
const valuesOf = (
  name: string,
  { values, count }: Omit<Valued, 'field'>,
  compared: object,
): readonly Addable[] =>
  values.map(({ value, count: having }) => ({
    value: `value ${JSON.stringify(compared)} ${JSON.stringify(value)}`,
    label: `${name} is ${String(value)}`,
    hint: formatShare(having, count),
    condition: { ...compared, is: value } as Condition,
  }));

/** Kinds that are found by the names of what they ask for. */
const LISTED: ReadonlySet<LeafKind> = new Set(['event', 'attribute', 'field', 'funnel', 'segment']);
const ATTRIBUTE = LEAF_DESCRIPTORS.attribute.initial;
const MORE: readonly Addable[] = [
  { value: 'attribute', label: 'Another attribute', condition: ATTRIBUTE },
  { value: 'all', label: 'Group: all of', condition: { all: [ATTRIBUTE] } },
  { value: 'any', label: 'Group: any of', condition: { any: [ATTRIBUTE] } },
];

function listAddables({
  events,
  funnels,
  segments,
  suggested,
}: {
  readonly events: readonly Option[];
  readonly funnels: readonly Option[];
  readonly segments: readonly Option[];
  readonly suggested: ReturnType<typeof useSuggestions>;
}): readonly Addable[] {
  const { event, funnel, segment } = LEAF_DESCRIPTORS;
  const { fields = [], attributes = [] } = suggested ?? {};
  return [
    ...events.map(added('Event', ({ value }) => ({ ...event.initial, event: value }))),
    ...attributeOptions(suggested).map(
      added('Attribute', (_option, index) => ofAttribute(attributes[index])),
    ),
    ...FIELDS.map(added('Profile', ({ value }) => fieldCondition(value, suggested))),
    ...funnels.map(added('Funnel', ({ value }) => ({ ...funnel.initial, funnel: value }))),
    ...segments.map(added('Segment', ({ value }) => ({ ...segment.initial, segment: value }))),
    ...LEAF_KINDS.filter((kind) => !LISTED.has(kind)).map((kind) => ({
      value: `kind ${kind}`,
      label: LEAF_DESCRIPTORS[kind].label,
      condition: LEAF_DESCRIPTORS[kind].initial,
    })),
    ...MORE,
    ...fields.flatMap(({ field, ...found }) => valuesOf(humanize(field), found, { field })),
    ...attributes.flatMap(({ attribute, ...found }) =>
      valuesOf(pathText(attribute), found, { attribute }),
    ),
  ];
}
