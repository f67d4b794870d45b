import {
  DATE_FIELDS,
  WEEKDAYS,
  type PersonDate,
  type UntilDate,
  type UntilNode,
  type UntilTime,
  type Weekday,
} from '@tidings/contracts/automations/calendar';
import { attributeOptions, keyOf, useSuggestions } from '../conditions/use-suggestions.ts';
import { DurationFields } from '../conditions/duration-fields.tsx';
import { withoutAbsent } from '../conditions/leaf-props.ts';
import { pathText } from '../conditions/path-text.ts';
import { TextField } from '../ui/field.tsx';
import { Select } from '../ui/select.tsx';
import { SuggestField } from '../ui/suggest-field.tsx';
import { DATE_LABELS, WEEKDAY_LABELS } from './calendar-words.ts';

/** A time of day on a 24-hour clock, as the service writes it. */
export function TimeField({
  label,
  pointer,
  time,
  onChange,
}: {
  readonly label: string;
  readonly pointer: string;
  readonly time: string;
  readonly onChange: (time: string) => void;
}) {
  return <TextField label={label} type="time" pointer={pointer} value={time} onChange={onChange} />;
}

/** Monday first. */
const WEEK = [...WEEKDAYS.slice(1), ...WEEKDAYS.slice(0, 1)];

/** Any of the days of a week, at least one. */
export function WeekdayButtons({
  days,
  onChange,
}: {
  readonly days: readonly Weekday[];
  readonly onChange: (days: readonly Weekday[]) => void;
}) {
  return (
    <div className="views weekdays" role="group" aria-label="Days">
      {WEEK.map((day) => {
        const isOn = days.includes(day);
        return (
          <button
            key={day}
            type="button"
            aria-pressed={isOn}
            title={WEEKDAY_LABELS[day]}
            onClick={() => {
              const next = WEEKDAYS.filter((each) => (each === day ? !isOn : days.includes(each)));
              if (next.length > 0) onChange(next);
            }}
          >
            {WEEKDAY_LABELS[day].slice(0, 3)}
          </button>
        );
      })}
    </div>
  );
}

const OF_ATTRIBUTE = 'attribute';

/** A date that each person has: of the profile, or an attribute. */
export function PersonDateFields({
  date,
  pointer,
  onChange,
}: {
  readonly date: PersonDate;
  readonly pointer: string;
  readonly onChange: (date: PersonDate) => void;
}) {
  const suggestions = useSuggestions();
  return (
    <>
      <Select
        label="Date"
        pointer={date.field === undefined ? pointer : `${pointer}/field`}
        value={date.field ?? OF_ATTRIBUTE}
        options={[
          ...DATE_FIELDS.map((field) => ({ value: field, label: DATE_LABELS[field] })),
          { value: OF_ATTRIBUTE, label: 'the attribute' },
        ]}
        onChange={(next) =>
          onChange(
            next === OF_ATTRIBUTE
              ? { attribute: '' }
              : { field: next as (typeof DATE_FIELDS)[number] },
          )
        }
      />
      {date.attribute !== undefined && (
        <SuggestField
          label="Attribute with the date"
          pointer={`${pointer}/attribute`}
          value={pathText(date.attribute)}
          placeholder="expiresOn"
          options={attributeOptions(suggestions)}
          onChange={(text) => onChange({ attribute: text })}
          onChoose={({ value }) => {
            const chosen = suggestions?.attributes.find((each) => keyOf(each) === value);
            if (chosen !== undefined) onChange({ attribute: chosen.attribute });
          }}
        />
      )}
    </>
  );
}

const SHIFTS = [
  { value: 'on', label: 'on that day' },
  { value: '-', label: 'before it' },
  { value: '+', label: 'after it' },
];
const SHIFT = '3d';

/** How long before or after the date. */
export function OffsetFields({
  offset,
  pointer,
  onChange,
}: {
  readonly offset: string | undefined;
  readonly pointer: string;
  readonly onChange: (offset: string | undefined) => void;
}) {
  const sign = offset === undefined ? 'on' : offset.startsWith('-') ? '-' : '+';
  const duration = offset?.replace('-', '') ?? SHIFT;
  const toOffset = (next: string, of: string): string | undefined =>
    next === 'on' ? undefined : next === '-' ? `-${of}` : of;
  return (
    <div className="grid narrow">
      <Select
        label="When"
        value={sign}
        options={SHIFTS}
        onChange={(next) => onChange(toOffset(next, duration))}
      />
      {offset !== undefined && (
        <DurationFields
          label="By"
          pointer={pointer}
          duration={duration}
          onChange={(next) => onChange(toOffset(sign, next))}
        />
      )}
    </div>
  );
}

type Until = UntilNode['until'];
const isDate = (until: Until): until is UntilDate => 'attribute' in until || 'field' in until;
const KINDS_OF_UNTIL = [
  { value: 'time', label: 'a time of day' },
  { value: 'date', label: 'a date of the person' },
];
const ZONES = [
  { value: 'user', label: 'where the person is' },
  { value: 'application', label: 'in the zone of the application' },
];

/** Until when a run waits. */
export function UntilFields({
  until,
  pointer,
  onChange,
}: {
  readonly until: Until;
  readonly pointer: string;
  readonly onChange: (until: Until) => void;
}) {
  return (
    <>
      <div className="condition-line">
        <span className="word">until</span>
        <Select
          label="Wait until"
          value={isDate(until) ? 'date' : 'time'}
          options={KINDS_OF_UNTIL}
          onChange={(next) =>
            onChange(
              next === 'date' ? { attribute: '', offset: '-1d', time: '09:00' } : { time: '09:00' },
            )
          }
        />
      </div>
      {isDate(until) ? (
        <UntilDateFields {...{ until, pointer, onChange }} />
      ) : (
        <UntilTimeFields {...{ until, pointer, onChange }} />
      )}
    </>
  );
}

type PartProps<Part extends Until> = {
  readonly until: Part;
  readonly pointer: string;
  readonly onChange: (until: Until) => void;
};

function UntilTimeFields({ until, pointer, onChange }: PartProps<UntilTime>) {
  const { time, days = WEEKDAYS, zone = 'user' } = until;
  const set = (changes: { readonly [Key in keyof UntilTime]?: UntilTime[Key] | undefined }): void =>
    onChange(withoutAbsent<UntilTime>({ ...until, ...changes }));
  return (
    <>
      <div className="grid narrow">
        <TimeField
          label="Time"
          pointer={`${pointer}/time`}
          time={time}
          onChange={(next) => set({ time: next })}
        />
        <Select
          label="Whose clock"
          pointer={`${pointer}/zone`}
          value={zone}
          options={ZONES}
          onChange={(next) => set({ zone: next === 'user' ? undefined : 'application' })}
        />
      </div>
      <WeekdayButtons
        days={days}
        onChange={(next) => set({ days: next.length === WEEKDAYS.length ? undefined : next })}
      />
      <p className="soft">Who comes later goes on at this time of the next of these days.</p>
    </>
  );
}

function UntilDateFields({ until, pointer, onChange }: PartProps<UntilDate>) {
  const { offset, time, ...date } = until;
  const shift = withoutAbsent<Pick<UntilDate, 'offset' | 'time'>>({ offset, time });
  return (
    <>
      <div className="grid narrow">
        <PersonDateFields
          date={date}
          pointer={pointer}
          onChange={(next) => onChange({ ...next, ...shift })}
        />
      </div>
      <OffsetFields
        offset={offset}
        pointer={`${pointer}/offset`}
        onChange={(next) => onChange(withoutAbsent<UntilDate>({ ...date, time, offset: next }))}
      />
      <div className="grid narrow">
        <TimeField
          label="Time (optional)"
          pointer={`${pointer}/time`}
          time={time ?? ''}
          onChange={(next) =>
            onChange(
              withoutAbsent<UntilDate>({ ...date, offset, time: next === '' ? undefined : next }),
            )
          }
        />
      </div>
      <p className="soft">
        Where the person is. Who has no such date, or is past it, goes on at once.
      </p>
    </>
  );
}
