import { useNow } from '../../lib/now.ts';
import { ownTimeZone } from '../../lib/own-time-zone.ts';
import { Button } from '../../ui/button.tsx';
import { DateTimeField } from '../../ui/date-field.tsx';
import type { Option } from '../../ui/options.ts';
import { Select } from '../../ui/select.tsx';
import { usualTimes, type SendTime } from './send-time.ts';

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
  const now = useNow();
  return (
    <div className="stack tight">
      <div className="grid narrow">
        <Select
          label="Begins"
          value={when}
          onChange={(next) => onChange({ when: next as SendTime['when'] })}
          options={isScheduled ? OPTIONS.filter(({ value }) => value !== 'now') : OPTIONS}
        />
        {when !== 'now' && (
          <DateTimeField
            label="Time"
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
      {when !== 'now' && (
        <div className="row">
          {usualTimes(when, new Date(now)).map((usual) => (
            <Button
              key={usual.label}
              isSmall
              aria-pressed={usual.time === time}
              onClick={() => onChange({ time: usual.time })}
            >
              {usual.label}
            </Button>
          ))}
        </div>
      )}
    </div>
  );
}
