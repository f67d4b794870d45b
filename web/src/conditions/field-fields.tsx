import { PROFILE_FIELDS } from '@tidings/contracts/ingest/ingest';
import type { Condition } from '@tidings/contracts/segments/conditions';
import type { LeafOf } from '@tidings/contracts/segments/leaves/descriptors';
import { DERIVED_FIELDS } from '@tidings/contracts/segments/leaves/field';
import { Select } from '../ui/select.tsx';
import { toOptions } from '../ui/options.ts';
import { ComparisonFields } from './comparison-fields.tsx';
import { fieldCondition, isDateField } from './field-condition.ts';
import type { LeafProps } from './leaf-props.ts';
import { useSuggestions, valueOptions } from './use-suggestions.ts';

const FIELD_OPTIONS = toOptions([...PROFILE_FIELDS, ...DERIVED_FIELDS]);

/** A profile field and its comparison, which begins anew when the type of the value changes. */
export function FieldFields({ node, pointer, onChange }: LeafProps<LeafOf<'field'>>) {
  const suggestions = useSuggestions();
  const suggested = suggestions?.fields.find(({ field }) => field === node.field);
  const isDate = isDateField(node.field);
  return (
    <>
      <Select
        label="Field"
        pointer={`${pointer}/field`}
        value={node.field}
        options={FIELD_OPTIONS}
        onChange={(field) =>
          onChange(
            isDateField(field) === isDate
              ? ({ ...node, field } as Condition)
              : fieldCondition(field, suggestions),
          )
        }
      />
      <ComparisonFields
        {...{ node, pointer, onChange }}
        values={isDate ? 'instant' : 'text'}
        suggested={valueOptions(suggested)}
      />
    </>
  );
}
