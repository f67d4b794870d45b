import { ownTimeZone } from '../../lib/own-time-zone.ts';
import { Select, TextField, type Option } from '../../ui/field.tsx';
import type { SendTime } from './send-time.ts';

const OPTIONS: readonly Option[] = [
  { value: 'now', label: 'Now' },
  { value: 'at', label: 'At a time' },
  { value: 'local', label: 'At a local time of each recipient' },
];

/** When the message is sent. What is scheduled already cannot be sent now. */
export function ScheduleFields({
  value: { when, time },
  isScheduled = false,
  onChange,
}: {
  readonly value: SendTime;
  readonly isScheduled?: boolean;
  readonly onChange: (changes: Partial<SendTime>) => void;
}) {
  return (
    <div className="grid narrow">
      <Select
        label="Begins"
        value={when}
        onChange={(next) => onChange({ when: next as SendTime['when'] })}
        options={isScheduled ? OPTIONS.filter(({ value }) => value !== 'now') : OPTIONS}
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
