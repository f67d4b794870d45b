import { Field, type FieldProps, type Value } from './field.tsx';
import type { Option } from './options.ts';
import { Picker } from './picker.tsx';

type SelectProps = FieldProps &
  Value & { readonly options: readonly Option[]; readonly required?: boolean };

/** A field whose value is one of several options. */
export function Select({ options, required, value, onChange, ...field }: SelectProps) {
  return (
    <Field {...field}>
      {(control) => (
        <Picker
          options={options}
          value={value}
          onChange={onChange}
          control={{ ...control, 'aria-required': required }}
        />
      )}
    </Field>
  );
}
