import { Select, TextField, type Option } from '../../ui/field.tsx';
import { ownTimeZone } from '../../lib/own-time-zone.ts';
import type { Draft } from './draft.ts';

const OPTIONS: readonly Option[] = [
  { value: 'now', label: 'Now' },
  { value: 'at', label: 'At a time' },
  { value: 'local', label: 'At a local time of each recipient' },
];

/** When the message is sent. */
export function ScheduleFields({
  draft: { when, time },
  onChange,
}: {
  readonly draft: Draft;
  readonly onChange: (changes: Partial<Draft>) => void;
}) {
  return (
    <div className="grid narrow">
      <Select
        label="When"
        value={when}
        onChange={(next) => onChange({ when: next as Draft['when'] })}
        options={OPTIONS}
      />
      {when !== 'now' && (
        <TextField
          label="Time"
          type="datetime-local"
          dir="ltr"
          pointer={when === 'at' ? '/sendAt' : '/sendAtLocal'}
          value={time}
          onChange={(next) => onChange({ time: next })}
          hint={
            when === 'at'
              ? `In your time zone, ${ownTimeZone()}`
              : 'In the time zone of each recipient, or else of the application'
          }
        />
      )}
    </div>
  );
}
