import { CHANNELS } from '@tidings/contracts/channels/channels';
import { nodeOf, type Condition } from '@tidings/contracts/segments/conditions';
import type { LeafDescriptor } from '@tidings/contracts/segments/leaves/descriptor';
import {
  LEAF_DESCRIPTORS,
  type LeafCondition,
} from '@tidings/contracts/segments/leaves/descriptors';
import type { LeafField } from '@tidings/contracts/segments/leaves/fields';
import { channelName } from '../labels/channel-name.ts';
import { toText } from '../lib/text.ts';
import { Select } from '../ui/select.tsx';
import { toOptions } from '../ui/options.ts';
import { useBuilderFacts } from './builder-context.ts';
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
  return (descriptor.fields ?? []).map((field) => (
    <DataField key={field.at.join('/')} field={field} {...leaf} />
  ));
}

/** Whether the fields of the kind show all of a condition. */
function covers({ schema, fields }: LeafDescriptor<LeafCondition>, leaf: LeafCondition): boolean {
  const shown = fields?.map(({ at }) => at[0]);
  return Object.keys(leaf).every(
    (key) => shown?.includes(key) === true || !Object.hasOwn(schema.properties, key),
  );
}

type DataFieldProps = LeafProps<LeafCondition> & { readonly field: LeafField };

function DataField({ field, node, pointer, onChange }: DataFieldProps) {
  const { segments } = useBuilderFacts();
  const { label, at, before } = field;
  const shared = {
    label,
    pointer: `${pointer}/${at.join('/')}`,
    value: toText(readAt(node, at)),
    onChange: (value: string): void => onChange(writeAt(node, at, value)),
  };
  return (
    <>
      {before !== undefined && <span className="word">{before}</span>}
      {field.input === 'choice' ? (
        <Select
          {...shared}
          value={shared.value === '' ? (field.standard ?? '') : shared.value}
          options={toOptions(field.options)}
        />
      ) : (
        <Select
          {...shared}
          options={
            field.input === 'channel'
              ? toOptions(CHANNELS, undefined, channelName)
              : [{ value: '', label: 'Choose a segment' }, ...segments]
          }
        />
      )}
    </>
  );
}
