import { CHANNELS } from '@tidings/contracts/channels/channels';
import { nodeOf, type Condition } from '@tidings/contracts/segments/conditions';
import type { LeafDescriptor } from '@tidings/contracts/segments/leaves/descriptor';
import {
  LEAF_DESCRIPTORS,
  type LeafCondition,
} from '@tidings/contracts/segments/leaves/descriptors';
import type { LeafField } from '@tidings/contracts/segments/leaves/fields';
import type { Comparison } from '@tidings/contracts/segments/leaves/parts';
import { channelName } from '../../../labels/channel-name.ts';
import { toText } from '../../../lib/text.ts';
import { TextField } from '../../../ui/field.tsx';
import { Select } from '../../../ui/select.tsx';
import { toOptions } from '../../../ui/options.ts';
import { useBuilderFacts } from './builder-context.ts';
import { ComparisonFields } from './comparison-fields.tsx';
import { OPERATORS, readComparison } from './comparison.ts';
import { JsonLeaf } from './json-leaf.tsx';
import type { LeafProps } from './leaf-props.ts';
import { ownFieldsOf } from './own-fields.tsx';
import { readAt, writeAt } from './place.ts';

/** The fields of a condition without others inside; its JSON when the builder cannot show it. */
export function LeafFields(props: LeafProps<Condition>) {
  const node = nodeOf(props.node);
  if (node.type === 'group' || node.type === 'not') return <JsonLeaf {...props} />;
  const leaf = { ...props, node: node.leaf };
  const own = ownFieldsOf(node.key);
  if (own?.covers(node.leaf) === true) return <own.Fields {...leaf} />;
  const descriptor: LeafDescriptor<LeafCondition> = LEAF_DESCRIPTORS[node.key];
  if (!covers(descriptor, node.leaf)) return <JsonLeaf {...props} />;
  const fields = (descriptor.fields ?? []).map((field) => (
    <DataField key={'at' in field ? field.at.join('/') : field.input} field={field} {...leaf} />
  ));
  return fields.length > 1 ? <div className="grid narrow">{fields}</div> : fields;
}

/** Whether the fields of the kind show all of a condition. */
function covers({ schema, fields }: LeafDescriptor<LeafCondition>, leaf: LeafCondition): boolean {
  if (fields === null) return false;
  const isCompared = fields.some(({ input }) => input === 'comparison');
  if (isCompared && readComparison(leaf as Comparison) === null) return false;
  const shown: readonly string[] = [
    ...fields.flatMap((field) => ('at' in field ? [field.at[0]] : [])),
    ...(isCompared ? OPERATORS : []),
  ];
  return (
    Object.keys(leaf).every(
      (key) => shown.includes(key) || !Object.hasOwn(schema.properties, key),
    ) &&
    fields.every((field) => field.input !== 'text' || typeof readAt(leaf, field.at) === 'string')
  );
}

type DataFieldProps = LeafProps<LeafCondition> & { readonly field: LeafField };

function DataField({ field, node, pointer, onChange }: DataFieldProps) {
  const { segments } = useBuilderFacts();
  if (field.input === 'comparison')
    return <ComparisonFields {...{ pointer, onChange }} node={node as Comparison} />;
  const { label, at } = field;
  const shared = {
    label,
    pointer: `${pointer}/${at.join('/')}`,
    value: toText(readAt(node, at)),
    onChange: (value: string): void => onChange(writeAt(node, at, value)),
  };
  switch (field.input) {
    case 'text':
      return <TextField {...shared} spellCheck={false} placeholder={field.placeholder} />;
    case 'choice':
      return (
        <Select
          {...shared}
          value={shared.value === '' ? (field.standard ?? '') : shared.value}
          options={toOptions(field.options)}
        />
      );
    case 'channel':
      return <Select {...shared} options={toOptions(CHANNELS, undefined, channelName)} />;
    case 'segment':
      return (
        <Select {...shared} options={[{ value: '', label: 'Choose a segment' }, ...segments]} />
      );
  }
}
