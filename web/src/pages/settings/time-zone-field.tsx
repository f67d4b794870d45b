import type { ComponentProps } from 'react';
import { TextField } from '../../ui/field.tsx';

/** A time zone by its IANA name, with those that the browser knows. */
export function TimeZoneField(props: Omit<ComponentProps<typeof TextField>, 'label' | 'list'>) {
  return (
    <>
      <TextField label="Time zone" placeholder="Europe/Berlin" {...props} list="time-zones" />
      <datalist id="time-zones">
        {Intl.supportedValuesOf('timeZone').map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
    </>
  );
}
