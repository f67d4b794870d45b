import {
  CHANNELS,
  DERIVED_FIELDS,
  MESSAGE_MILESTONES,
  PROFILE_FIELDS,
  PURPOSES,
  type Condition,
} from '@tidings/contracts';
import { channelName } from '../../../labels/channel-name.ts';
import { Select, TextField } from '../../../ui/field.tsx';
import { toOptions } from '../../../ui/options.ts';
import { useBuilderFacts } from './builder-context.ts';
import { ComparisonFields } from './comparison-fields.tsx';
import { readComparison } from './comparison.ts';
import { EventFields, isSimpleEvent } from './event-fields.tsx';
import { JsonLeaf } from './json-leaf.tsx';
import { withCurrent, type LeafProps } from './leaf-props.ts';

const FIELD_OPTIONS = toOptions([...PROFILE_FIELDS, ...DERIVED_FIELDS]);
/** Fields whose values are instants. */
const DATE_FIELDS: readonly string[] = ['birthday', 'registeredAt'];

/** The fields of a condition without others inside; its JSON when the builder cannot show it. */
export function LeafFields({ node, pointer, onChange }: LeafProps<Condition>) {
  const { segments } = useBuilderFacts();
  if ('proved' in node) return <JsonLeaf {...{ node, pointer, onChange }} />;
  if ('field' in node)
    return readComparison(node) === null ? (
      <JsonLeaf {...{ node, pointer, onChange }} />
    ) : (
      <div className="grid narrow">
        <Select
          label="Field"
          pointer={`${pointer}/field`}
          value={node.field}
          options={FIELD_OPTIONS}
          onChange={(field) =>
            onChange(
              DATE_FIELDS.includes(field) === DATE_FIELDS.includes(node.field)
                ? ({ ...node, field } as Condition)
                : ({
                    field,
                    ...(DATE_FIELDS.includes(field) ? { before: { ago: '30d' } } : { is: '' }),
                  } as Condition),
            )
          }
        />
        <ComparisonFields
          {...{ node, pointer, onChange }}
          isDate={DATE_FIELDS.includes(node.field)}
        />
      </div>
    );
  if ('attribute' in node)
    return typeof node.attribute !== 'string' || readComparison(node) === null ? (
      <JsonLeaf {...{ node, pointer, onChange }} />
    ) : (
      <div className="grid narrow">
        <TextField
          label="Attribute"
          pointer={`${pointer}/attribute`}
          value={node.attribute}
          onChange={(attribute) => onChange({ ...node, attribute })}
          spellCheck={false}
          placeholder="plan"
        />
        <ComparisonFields {...{ node, pointer, onChange }} />
      </div>
    );
  if ('event' in node)
    return isSimpleEvent(node) ? (
      <EventFields {...{ node, pointer, onChange }} />
    ) : (
      <JsonLeaf {...{ node, pointer, onChange }} />
    );
  if ('segment' in node)
    return (
      <Select
        label="Segment"
        pointer={`${pointer}/segment`}
        value={node.segment}
        options={withCurrent(segments, node.segment, 'Choose a segment')}
        onChange={(segment) => onChange({ segment })}
      />
    );
  if ('reachable' in node)
    return (
      <div className="grid narrow">
        <Select
          label="Channel"
          pointer={`${pointer}/reachable`}
          value={node.reachable}
          options={toOptions(CHANNELS, undefined, channelName)}
          onChange={(reachable) => onChange({ ...node, reachable } as Condition)}
        />
        <Select
          label="Purpose"
          pointer={`${pointer}/purpose`}
          value={node.purpose ?? 'transactional'}
          options={toOptions(PURPOSES)}
          onChange={(purpose) => onChange({ ...node, purpose } as Condition)}
        />
      </div>
    );
  if ('message' in node && !('within' in node) && !('from' in node) && !('to' in node))
    return (
      <div className="grid narrow">
        <TextField
          label="Campaign ID"
          pointer={`${pointer}/message/campaignId`}
          value={node.message.campaignId}
          onChange={(campaignId) => onChange({ ...node, message: { campaignId } })}
          spellCheck={false}
        />
        <Select
          label="Was"
          pointer={`${pointer}/was`}
          value={node.was}
          options={toOptions(MESSAGE_MILESTONES)}
          onChange={(was) => onChange({ ...node, was } as Condition)}
        />
      </div>
    );
  return <JsonLeaf {...{ node, pointer, onChange }} />;
}
