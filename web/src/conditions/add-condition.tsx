import { PROFILE_FIELDS } from '@tidings/contracts/ingest/ingest';
import type { Condition } from '@tidings/contracts/segments/conditions';
import { DERIVED_FIELDS } from '@tidings/contracts/segments/leaves/field';
import {
  LEAF_DESCRIPTORS,
  LEAF_KINDS,
  type LeafKind,
} from '@tidings/contracts/segments/leaves/descriptors';
import { ChoiceButton } from '../ui/choice-button.tsx';
import { toOptions, type Option } from '../ui/options.ts';
import { fieldCondition } from './field-condition.ts';
import { useBuilderFacts } from './builder-context.ts';
import { ofAttribute } from './attribute-condition.ts';
import { attributeOptions, useSuggestions } from './use-suggestions.ts';

/** What can be added, and the condition that it begins with. */
type Addable = Option & { readonly condition: Condition };

/** Adds what is found by its name: an event, an attribute, a field, a segment, a message, a group. */
export function AddCondition({ onAdd }: { readonly onAdd: (condition: Condition) => void }) {
  const { events, segments } = useBuilderFacts();
  const suggested = useSuggestions();
  const addables = listAddables({ events, segments, suggested });
  return (
    <div className="row">
      <ChoiceButton
        isSmall
        label="Add a condition"
        options={addables}
        onChoose={(chosen) => {
          const added = addables.find(({ value }) => value === chosen);
          if (added !== undefined) onAdd(added.condition);
        }}
      />
    </div>
  );
}

const FIELDS = toOptions([...PROFILE_FIELDS, ...DERIVED_FIELDS]);

/** An option of a group; the same name may stand in several. */
const added =
  (group: string, toCondition: (option: Option, index: number) => Condition) =>
  (option: Option, index: number): Addable => ({
    ...option,
    group,
    value: `${group} ${option.value}`,
    condition: toCondition(option, index),
  });

/** Kinds that are found by the names of what they ask for. */
const LISTED: ReadonlySet<LeafKind> = new Set(['event', 'attribute', 'field', 'segment']);
const ATTRIBUTE = LEAF_DESCRIPTORS.attribute.initial;
const MORE: readonly Addable[] = [
  { value: 'attribute', label: 'Another attribute', group: 'More', condition: ATTRIBUTE },
  { value: 'all', label: 'Group: all of', group: 'More', condition: { all: [ATTRIBUTE] } },
  { value: 'any', label: 'Group: any of', group: 'More', condition: { any: [ATTRIBUTE] } },
];

function listAddables({
  events,
  segments,
  suggested,
}: {
  readonly events: readonly Option[];
  readonly segments: readonly Option[];
  readonly suggested: ReturnType<typeof useSuggestions>;
}): readonly Addable[] {
  const { event, segment } = LEAF_DESCRIPTORS;
  return [
    ...events.map(added('Events', ({ value }) => ({ ...event.initial, event: value }))),
    ...attributeOptions(suggested).map(
      added('Attributes', (_option, index) => ofAttribute(suggested?.attributes[index])),
    ),
    ...FIELDS.map(added('Profile', ({ value }) => fieldCondition(value, suggested))),
    ...segments.map(added('Segments', ({ value }) => ({ ...segment.initial, segment: value }))),
    ...LEAF_KINDS.filter((kind) => !LISTED.has(kind)).map((kind) => ({
      value: `kind ${kind}`,
      label: LEAF_DESCRIPTORS[kind].label,
      group: 'More',
      condition: LEAF_DESCRIPTORS[kind].initial,
    })),
    ...MORE,
  ];
}
