import { useNow } from '../../lib/now.ts';
import { ownTimeZone } from '../../lib/own-time-zone.ts';
import { Button } from '../../ui/button.tsx';
import { DateTimeField } from '../../ui/date-field.tsx';
import { Views } from '../../ui/views.tsx';
import { usualTimes, type SendTime } from './send-time.ts';

const KINDS = [
  { value: 'now', label: 'Now' },
  { value: 'at', label: 'At a time' },
  { value: 'local', label: 'Each in their own zone' },
] as const;

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
      <div className="row">
        <Views
          label="Begins"
          views={isScheduled ? KINDS.filter(({ value }) => value !== 'now') : KINDS}
          value={when}
          onChange={(next) => onChange({ when: next as SendTime['when'] })}
        />
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
  );
}
