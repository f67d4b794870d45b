import { useState } from 'react';
import { durationText } from '../../conditions/duration.ts';
import { DurationFields } from '../../conditions/duration-fields.tsx';
import { Select } from '../../ui/select.tsx';

const USUAL = ['1h', '1d', '3d', '7d', '14d', '30d', '90d'];
const OWN = 'own';

/** The longest time from the first step to the last. */
export function WindowPart({
  window,
  onChange,
}: {
  readonly window: string;
  readonly onChange: (window: string) => void;
}) {
  const [isOwn, setOwn] = useState(!USUAL.includes(window));
  return (
    <>
      <Select
        label="Within"
        pointer={isOwn ? undefined : '/window'}
        value={isOwn ? OWN : window}
        options={[
          ...USUAL.map((value) => ({ value, label: durationText(value) })),
          { value: OWN, label: 'another time' },
        ]}
        onChange={(next) => {
          setOwn(next === OWN);
          if (next !== OWN) onChange(next);
        }}
      />
      {isOwn && (
        <DurationFields label="Time" pointer="/window" duration={window} onChange={onChange} />
      )}
    </>
  );
}
