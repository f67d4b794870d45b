import type { EventTrigger } from '@tidings/contracts/automations/definition';
import { useEventSlug } from '../conditions/event-fields.tsx';
import { useSuggestions } from '../conditions/use-suggestions.ts';
import { attributeValues, Chips, type ChipValue } from '../pages/templates/value-chips.tsx';

type OnInsert = Parameters<typeof Chips>[0]['onInsert'];

/** Every event has them, those of revenue more. */
const EVENT_VALUES: readonly ChipValue[] = [
  { label: 'Name of the event', text: '{{ event.name }}' },
  { label: 'Day of the event', text: "{{ event.time | date: '%Y-%m-%d' }}" },
  { label: 'Revenue', text: "{{ event.revenue | default: '' }}" },
  { label: 'Currency', text: "{{ event.currency | default: '' }}" },
];

/** Values of what started a run, each of which a press inserts into its message. */
export function EventChips({
  trigger,
  onInsert,
}: {
  readonly trigger: EventTrigger;
  readonly onInsert: OnInsert;
}) {
  const suggestions = useSuggestions(useEventSlug(trigger.event));
  return (
    <Chips
      label="Event"
      name="Insert a value of the event"
      values={[...attributeValues(suggestions, 'event.attributes'), ...EVENT_VALUES]}
      onInsert={onInsert}
    />
  );
}

const RUN_VALUES: readonly ChipValue[] = [
  { label: 'Day they entered', text: "{{ run.enteredAt | date: '%Y-%m-%d' }}" },
  { label: 'ID of the run', text: '{{ run.id }}' },
];

/** Values of a run itself. */
export function RunChips({ onInsert }: { readonly onInsert: OnInsert }) {
  return (
    <Chips label="Run" name="Insert a value of the run" values={RUN_VALUES} onInsert={onInsert} />
  );
}
