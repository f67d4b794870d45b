import type { CalendarDate, CalendarDateTime } from '@internationalized/date';
import { useId } from 'react';
import { Button } from 'react-aria-components/Button';
import {
  Calendar,
  CalendarCell,
  CalendarGrid,
  CalendarGridBody,
  CalendarGridHeader,
  CalendarHeaderCell,
  CalendarHeading,
} from 'react-aria-components/Calendar';
import { Icon } from './icon.tsx';
import { usePopover } from './use-popover.ts';

type Day = CalendarDate | CalendarDateTime;

/** It was opened to choose in it. */
const FOCUSED = { autoFocus: true };

/** A button that opens a month. A press on a day chooses it; a time that is there stays. */
export function CalendarButton({
  labelId,
  value,
  onChoose,
}: {
  readonly labelId: string;
  readonly value: Day | null;
  readonly onChoose: (day: Day) => void;
}) {
  const { button, isOpen, close, popoverProps } = usePopover();
  const id = useId();
  const names = `${id}-button ${labelId}`;
  return (
    <>
      <button
        ref={button}
        id={`${id}-button`}
        type="button"
        className="date-open"
        aria-label="Calendar"
        aria-labelledby={names}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        popoverTarget={id}
      >
        <Icon name="calendar" />
      </button>
      <div
        {...popoverProps}
        id={id}
        className="menu calendar"
        role="dialog"
        aria-labelledby={names}
        dir="ltr"
      >
        {isOpen && (
          <Calendar<Day>
            {...FOCUSED}
            value={value}
            onChange={(day) => {
              close();
              onChoose(day);
            }}
          >
            <div className="calendar-head">
              <CalendarHeading className="strong" />
              <Button slot="previous" className="date-open">
                <Icon name="back" />
              </Button>
              <Button slot="next" className="date-open">
                <Icon name="open" />
              </Button>
            </div>
            <CalendarGrid weekdayStyle="narrow">
              <CalendarGridHeader>
                {(day) => <CalendarHeaderCell>{day}</CalendarHeaderCell>}
              </CalendarGridHeader>
              <CalendarGridBody>
                {(date) => <CalendarCell className="calendar-day" date={date} />}
              </CalendarGridBody>
            </CalendarGrid>
          </Calendar>
        )}
      </div>
    </>
  );
}
