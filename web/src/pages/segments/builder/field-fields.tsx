import { PROFILE_FIELDS } from '@tidings/contracts/ingest/ingest';
import type { Condition } from '@tidings/contracts/segments/conditions';
import type { LeafOf } from '@tidings/contracts/segments/leaves/descriptors';
import { DERIVED_FIELDS } from '@tidings/contracts/segments/leaves/field';
import { Select } from '../../../ui/select.tsx';
import { toOptions } from '../../../ui/options.ts';
import { ComparisonFields } from './comparison-fields.tsx';
import type { LeafProps } from './leaf-props.ts';

const FIELD_OPTIONS = toOptions([...PROFILE_FIELDS, ...DERIVED_FIELDS]);
/** Fields whose values are instants. */
const DATE_FIELDS: readonly string[] = ['birthday', 'registeredAt'];

/** A profile field and its comparison, which begins anew when the type of the value changes. */
export function FieldFields({ node, pointer, onChange }: LeafProps<LeafOf<'field'>>) {
  return (
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
}
