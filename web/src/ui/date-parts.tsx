import './react-aria.ts';
import {
  parseDateTime,
  parseTime,
  Time,
  toCalendarDateTime,
  type CalendarDateTime,
} from '@internationalized/date';
import { useEffect, useEffectEvent, useState } from 'react';
import { DateField, DateInput, DateSegment } from 'react-aria-components/DateField';
import { TimeField } from 'react-aria-components/TimeField';
import { CalendarButton } from './calendar-button.tsx';
import { labelIdOf, type FieldControl, type Value } from './field.tsx';

type PartsProps = Value & { readonly control: FieldControl };

/** A day that is chosen before a time begins in the morning. */
const MORNING = new Time(9);

/** The parts of a date with its time, and a calendar. */
export function DateTimeParts({ control, ...given }: PartsProps) {
  const { moment, onChange, onPartial } = useMoment(given, DATE_TIME);
  return (
    <div className="input date-field">
      <DateField
        {...wiring(control)}
        value={moment}
        onChange={onChange}
        granularity="minute"
        hideTimeZone
      >
        {({ state }) => <Parts segments={state.segments} onPartial={onPartial} />}
      </DateField>
      <CalendarButton
        labelId={labelIdOf(control.id)}
        value={moment}
        onChoose={(day) => onChange('hour' in day ? day : toCalendarDateTime(day, MORNING))}
      />
    </div>
  );
}

/** The parts of a time of day. */
export function TimeParts({ control, ...given }: PartsProps) {
  const { moment, onChange, onPartial } = useMoment(given, TIME);
  return (
    <div className="input date-field">
      <TimeField {...wiring(control)} value={moment} onChange={onChange}>
        {({ state }) => <Parts segments={state.segments} onPartial={onPartial} />}
      </TimeField>
    </div>
  );
}

type PartProps = {
  readonly segments: readonly { readonly isPlaceholder: boolean }[];
  readonly onPartial: (isPartial: boolean) => void;
};

function Parts({ segments, onPartial }: PartProps) {
  const isPartial = segments.some(({ isPlaceholder }) => isPlaceholder);
  const report = useEffectEvent(onPartial);
  useEffect(() => report(isPartial), [isPartial]);
  return (
    <DateInput className="date-parts">
      {(segment) => <DateSegment className="date-part" segment={segment} />}
    </DateInput>
  );
}

/** The label names the parts; the hint and the error describe them. */
const wiring = (control: FieldControl) => ({
  'aria-labelledby': labelIdOf(control.id),
  ...(control['aria-describedby'] !== undefined && {
    'aria-describedby': control['aria-describedby'],
  }),
  isInvalid: control['aria-invalid'] === true,
  validationBehavior: 'aria' as const,
  // Its order is of the viewer's locale, not of the page.
  dir: 'ltr',
});

/** How a moment is written, and read. */
type Format<Moment> = {
  readonly read: (text: string) => Moment;
  readonly write: (moment: Moment) => string;
};
const DATE_TIME: Format<CalendarDateTime> = {
  read: parseDateTime,
  write: (moment) => moment.toString().slice(0, 'YYYY-MM-DDTHH:MM'.length),
};
const TIME: Format<Time> = {
  read: parseTime,
  write: (moment) => moment.toString().slice(0, 'HH:MM'.length),
};

/**
 * The moment of a text. While a part is empty the text is empty too, and the other parts stay as they are: what
 * is not typed to its end is never sent as what it was before.
 */
function useMoment<Moment>({ value, onChange }: Value, { read, write }: Format<Moment>) {
  const readOrNull = (text: string): Moment | null => {
    try {
      return read(text);
    } catch {
      return null;
    }
  };
  const [held, setHeld] = useState(() => ({ text: value, moment: readOrNull(value) }));
  const current = value === held.text ? held : { text: value, moment: readOrNull(value) };
  if (current !== held) setHeld(current);
  const report = (text: string, moment: Moment | null): void => {
    setHeld({ text, moment });
    if (text !== current.text) onChange(text);
  };
  const { moment } = current;
  return {
    moment,
    onChange: (next: Moment | null) => report(next === null ? '' : write(next), next),
    onPartial: (isPartial: boolean) =>
      report(isPartial || moment === null ? '' : write(moment), moment),
  };
}
