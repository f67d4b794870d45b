import { lazy, Suspense, type ComponentType } from 'react';
import { Field, type FieldControl, type FieldProps, type Value } from './field.tsx';

const load = () => import('./date-parts.tsx');
const DateTimeParts = lazy(async () => ({ default: (await load()).DateTimeParts }));
const TimeParts = lazy(async () => ({ default: (await load()).TimeParts }));

/** A date and a time without a zone, `2026-12-24T09:00`. Its value is empty until all parts are typed. */
export function DateTimeField(props: FieldProps & Value) {
  return <PartsField {...props} Parts={DateTimeParts} />;
}

/** A time of day, `09:00`. Its value is empty until all parts are typed. */
export function TimeField(props: FieldProps & Value) {
  return <PartsField {...props} Parts={TimeParts} />;
}

function PartsField({
  Parts,
  value,
  onChange,
  ...field
}: FieldProps &
  Value & { readonly Parts: ComponentType<Value & { readonly control: FieldControl }> }) {
  return (
    <Field {...field} isGroup>
      {(control) => (
        <Suspense fallback={<div className="input" />}>
          <Parts value={value} onChange={onChange} control={control} />
        </Suspense>
      )}
    </Field>
  );
}
