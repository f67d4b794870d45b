import type { AutomationTrigger, EventTrigger } from '@tidings/contracts/automations/definition';
import { DurationFields } from '../conditions/duration-fields.tsx';
import { NamedEventFields } from '../conditions/event-fields.tsx';
import { withoutAbsent } from '../conditions/leaf-props.ts';
import { Callout } from '../ui/card.tsx';
import { Checkbox } from '../ui/field.tsx';
import { Select } from '../ui/select.tsx';

type TriggerProps<Trigger extends AutomationTrigger = AutomationTrigger> = {
  readonly trigger: Trigger;
  readonly onChange: (trigger: AutomationTrigger) => void;
};

const STARTS = [
  { value: 'event', label: 'a person does something' },
  { value: 'api', label: 'your back end asks for it' },
];

/** How people come in. */
export function TriggerFields({ trigger, onChange }: TriggerProps) {
  return (
    <>
      <div className="condition-line">
        <Select
          label="Starts when"
          pointer="/trigger"
          value={'event' in trigger ? 'event' : 'api'}
          options={STARTS}
          onChange={(next) => onChange(next === 'api' ? { api: true } : { event: '' })}
        />
        {'event' in trigger && (
          <NamedEventFields<EventTrigger>
            label="Event that starts it"
            node={trigger}
            pointer="/trigger"
            onChange={onChange}
          />
        )}
      </div>
      {'event' in trigger && <EventRules trigger={trigger} onChange={onChange} />}
    </>
  );
}

/** What an event is late by at most, unless it is said. */
const MAX_AGE = '1h';
const LATE = [
  { value: 'usual', label: 'count for 1 hour' },
  { value: 'own', label: 'count for another time' },
  { value: 'any', label: 'always count' },
];

/** Which of the events count: how late, and whose word. */
function EventRules({ trigger, onChange }: TriggerProps<EventTrigger>) {
  const { maxAge, from } = trigger;
  const set = (changes: {
    readonly [Key in keyof EventTrigger]?: EventTrigger[Key] | undefined;
  }): void => onChange(withoutAbsent<EventTrigger>({ ...trigger, ...changes }));
  const ages = { usual: undefined, own: MAX_AGE, any: null };
  return (
    <>
      <div className="grid narrow">
        <Select
          label="Events that arrive late"
          value={maxAge === undefined ? 'usual' : maxAge === null ? 'any' : 'own'}
          options={LATE}
          hint="From its own time until it is received. A phone without a network sends later."
          onChange={(next) => set({ maxAge: ages[next as keyof typeof ages] })}
        />
        {typeof maxAge === 'string' && (
          <DurationFields
            label="Late by at most"
            pointer="/trigger/maxAge"
            duration={maxAge}
            onChange={(next) => set({ maxAge: next })}
          />
        )}
      </div>
      <Checkbox
        label="Also events that a browser sent without proof"
        isChecked={from === 'anyone'}
        onChange={(isOn) => set({ from: isOn ? 'anyone' : undefined })}
      />
      {from === 'anyone' && (
        <Callout tone="warn">
          <p className="small">
            Your Client key is in your pages: with it anyone can let another person get these
            messages. Send the event from your server, or with a user token, to be safe.
          </p>
        </Callout>
      )}
    </>
  );
}
