import {
  DATE_MAX_AGE,
  WEEKDAYS,
  type DateTrigger,
  type ScheduleTrigger,
} from '@tidings/contracts/automations/calendar';
import {
  TRIGGER_KEYS,
  type AutomationTrigger,
  type EventTrigger,
  type SegmentTrigger,
} from '@tidings/contracts/automations/definition';
import { useState } from 'react';
import { useBuilderFacts } from '../conditions/builder-context.ts';
import { DurationFields } from '../conditions/duration-fields.tsx';
import { NamedEventFields } from '../conditions/event-fields.tsx';
import { withoutAbsent } from '../conditions/leaf-props.ts';
import { Callout } from '../ui/card.tsx';
import { Checkbox, TextField } from '../ui/field.tsx';
import { Select } from '../ui/select.tsx';
import { OffsetFields, PersonDateFields, TimeField, WeekdayButtons } from './calendar-fields.tsx';
import { readCron, writeCron, type SimpleSchedule } from './cron.ts';
import { SegmentMoveFields } from './segment-move-fields.tsx';
import { EVENT_MAX_AGE } from './words.ts';

type TriggerProps<Trigger extends AutomationTrigger = AutomationTrigger> = {
  readonly trigger: Trigger;
  readonly onChange: (trigger: AutomationTrigger) => void;
};

const STARTS: Readonly<Record<TriggerKey, string>> = {
  event: 'a person does something',
  when: 'a person enters or leaves a segment',
  date: 'a date of a person comes',
  schedule: 'the clock says so',
  api: 'your back end asks for it',
};
type TriggerKey = (typeof TRIGGER_KEYS)[number];
const NEW: Readonly<Record<TriggerKey, AutomationTrigger>> = {
  event: { event: '' },
  when: { segment: '', when: 'enters' },
  date: { date: { field: 'birthday' }, at: '09:00' },
  schedule: { schedule: { cron: '0 9 * * 1' }, segment: '' },
  api: { api: true },
};

/** How people come in. */
export function TriggerFields({ trigger, onChange }: TriggerProps) {
  const key = TRIGGER_KEYS.find((each) => each in trigger) ?? 'event';
  return (
    <>
      <div className="condition-line">
        <Select
          label="Starts when"
          pointer="/trigger"
          value={key}
          options={Object.entries(STARTS).map(([value, label]) => ({ value, label }))}
          onChange={(next) => onChange(NEW[next as TriggerKey])}
        />
        {'event' in trigger && (
          <NamedEventFields<EventTrigger>
            label="Event that starts it"
            node={trigger}
            pointer="/trigger"
            onChange={onChange}
          />
        )}
        {'when' in trigger && (
          <SegmentMoveFields
            pointer="/trigger"
            move={trigger}
            onChange={(next) =>
              onChange(
                withoutAbsent<SegmentTrigger>({
                  ...next,
                  existing: next.when === 'enters' ? trigger.existing : undefined,
                }),
              )
            }
          />
        )}
      </div>
      {'when' in trigger && trigger.when === 'enters' && (
        <Checkbox
          label="Also those who are in it when it is activated"
          isChecked={trigger.existing === true}
          onChange={(isOn) =>
            onChange(
              withoutAbsent<SegmentTrigger>({ ...trigger, existing: isOn ? true : undefined }),
            )
          }
        />
      )}
      {'event' in trigger && <EventRules trigger={trigger} onChange={onChange} />}
      {'schedule' in trigger && <ScheduleFields trigger={trigger} onChange={onChange} />}
      {'date' in trigger && <DateFields trigger={trigger} onChange={onChange} />}
    </>
  );
}

const EVERY = [
  { value: 'day', label: 'every day' },
  { value: 'week', label: 'on days of the week' },
  { value: 'month', label: 'once a month' },
  { value: 'cron', label: 'by a cron expression' },
];
const ZONES = Intl.supportedValuesOf('timeZone');
const MONTH_DAYS_MAX = 31;

function ScheduleFields({ trigger, onChange }: TriggerProps<ScheduleTrigger>) {
  const { segments } = useBuilderFacts();
  const { schedule, segment } = trigger;
  const { cron, timeZone = '' } = schedule;
  const simple = readCron(cron);
  // Who chose it may write what fields would show too.
  const [isCron, setCron] = useState(simple === null);
  const set = (changes: { readonly cron?: string; readonly timeZone?: string | undefined }): void =>
    onChange({
      ...trigger,
      schedule: withoutAbsent({ cron, timeZone: schedule.timeZone, ...changes }),
    });
  const time = simple?.time ?? '09:00';
  const schedules: Readonly<Record<string, SimpleSchedule>> = {
    day: { every: 'day', time },
    week: { every: 'week', time, days: [1] },
    month: { every: 'month', time, day: 1 },
  };
  return (
    <>
      <div className="grid narrow">
        <Select
          label="How often"
          value={isCron || simple === null ? 'cron' : simple.every}
          options={EVERY}
          onChange={(next) => {
            setCron(next === 'cron');
            const chosen = schedules[next];
            if (chosen !== undefined) set({ cron: writeCron(chosen) });
          }}
        />
        {isCron || simple === null ? (
          <TextField
            label="Cron expression"
            pointer="/trigger/schedule/cron"
            value={cron}
            placeholder="0 9 * * 1-5"
            hint="Minute, hour, day, month, day of the week. At least 15 minutes apart."
            spellCheck={false}
            onChange={(next) => set({ cron: next })}
          />
        ) : (
          <TimeField
            label="Time"
            pointer="/trigger/schedule/cron"
            time={simple.time}
            onChange={(next) => next !== '' && set({ cron: writeCron({ ...simple, time: next }) })}
          />
        )}
        {!isCron && simple?.every === 'month' && (
          <TextField
            label="Day of the month"
            type="number"
            min={1}
            max={MONTH_DAYS_MAX}
            value={String(simple.day)}
            onChange={(next) => set({ cron: writeCron({ ...simple, day: Number(next) }) })}
          />
        )}
      </div>
      {!isCron && simple?.every === 'week' && (
        <WeekdayButtons
          days={simple.days.flatMap((day) => WEEKDAYS[day] ?? [])}
          onChange={(next) =>
            set({ cron: writeCron({ ...simple, days: next.map((day) => WEEKDAYS.indexOf(day)) }) })
          }
        />
      )}
      <Select
        label="Who enters then"
        pointer="/trigger/segment"
        value={segment}
        options={[{ value: '', label: 'Choose a segment' }, ...segments]}
        onChange={(next) => onChange({ ...trigger, segment: next })}
      />
      <Select
        label="Time zone"
        pointer="/trigger/schedule/timeZone"
        value={timeZone}
        options={[
          { value: '', label: 'That of the application' },
          ...ZONES.map((zone) => ({ value: zone, label: zone.replaceAll('_', ' ') })),
        ]}
        onChange={(next) => set({ timeZone: next === '' ? undefined : next })}
      />
    </>
  );
}

function DateFields({ trigger, onChange }: TriggerProps<DateTrigger>) {
  const { date, offset, at, yearly = false, maxAge = DATE_MAX_AGE } = trigger;
  const set = (changes: {
    readonly [Key in keyof DateTrigger]?: DateTrigger[Key] | undefined;
  }): void => onChange(withoutAbsent<DateTrigger>({ ...trigger, ...changes }));
  return (
    <>
      <div className="grid narrow">
        <PersonDateFields
          date={date}
          pointer="/trigger/date"
          onChange={(next) => set({ date: next })}
        />
      </div>
      <OffsetFields
        offset={offset}
        pointer="/trigger/offset"
        onChange={(next) => set({ offset: next })}
      />
      <div className="grid narrow">
        <TimeField
          label="At, where the person is"
          pointer="/trigger/at"
          time={at}
          onChange={(next) => next !== '' && set({ at: next })}
        />
      </div>
      <Checkbox
        label="Each year"
        isChecked={yearly}
        onChange={(isOn) => set({ yearly: isOn ? true : undefined })}
      />
      <div className="grid narrow">
        <DurationFields
          label="Late by at most"
          pointer="/trigger/maxAge"
          duration={maxAge}
          onChange={(next) => set({ maxAge: next })}
        />
      </div>
      <p className="soft small">Whose date becomes known later than that does not enter.</p>
    </>
  );
}

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
  const ages = { usual: undefined, own: EVENT_MAX_AGE, any: null };
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
