import type { NamedEvent } from '@tidings/contracts/automations/definition';
import { EVENT_CURRENCIES } from '@tidings/contracts/currencies';
import type { LeafOf } from '@tidings/contracts/segments/leaves/descriptors';
import { FOLLOWINGS, type FollowingEvent } from '@tidings/contracts/segments/leaves/event';
import type {
  AttributeComparison,
  EventReference,
  NumberRange,
} from '@tidings/contracts/segments/leaves/parts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { Select } from '../ui/select.tsx';
import { toOptions } from '../ui/options.ts';
import { eventName } from './describe-condition.ts';
import { AttributeFields } from './attribute-fields.tsx';
import { useBuilderFacts } from './builder-context.ts';
import { readBound } from './bound.ts';
import { readComparison } from './comparison.ts';
import { DurationFields } from './duration-fields.tsx';
import { withoutAbsent, type LeafProps } from './leaf-props.ts';
import { RangeFields } from './range-fields.tsx';
import { useSuggestions } from './use-suggestions.ts';
import { WindowFields } from './window-fields.tsx';

type EventCondition = LeafOf<'event'>;

const ONE = { gte: 1 };
const isOnce = (range: NumberRange): boolean => readBound(range)?.limit === 1;
type Following = (typeof FOLLOWINGS)[number];
/** What marketers ask most comes first: of people, not of events. */
const FOLLOWED = [
  { value: 'neverFollowedBy', label: 'never followed by' },
  { value: 'followedBy', label: 'each followed by' },
  { value: 'notFollowedBy', label: 'each not followed by' },
];
const MEANINGS = {
  neverFollowedBy:
    'Asks about the person: it came in time after none of these events. Until their time is over, it may still come.',
  followedBy: 'Asks about each event: only those that it followed in time are counted.',
  notFollowedBy:
    'Asks about each event: one without it is enough, so people who did it after another one are members too. An event counts when its time is over.',
} as const satisfies Record<Following, string>;

/** Whether the builder has fields for all of it. */
export function isSimpleEvent(node: EventCondition): boolean {
  const { count = ONE, sum, where = [] } = node;
  const steps = FOLLOWINGS.flatMap((key) => node[key] ?? []);
  const isSimpleWhere = (list: readonly AttributeComparison[]): boolean =>
    list.every((each) => readComparison(each) !== null);
  return (
    readBound(count) !== null &&
    (sum === undefined || readBound(sum) !== null) &&
    isSimpleWhere(where) &&
    node.proved === undefined &&
    steps.length <= 1 &&
    steps.every((step) => step.where === undefined)
  );
}

/** An event: which, how often, in which time, with which attributes, and what followed. */
export function EventFields({ node, pointer, onChange }: LeafProps<EventCondition>) {
  const set = (changes: Changes): void => onChange(withoutAbsent({ ...node, ...changes }));
  return (
    <>
      <EventSelect
        label="Event"
        pointer={`${pointer}/event`}
        event={node.event}
        onChange={(event) => set({ event })}
      />
      <RangeFields
        label="How often"
        numberLabel="Times"
        pointer={`${pointer}/count`}
        range={node.count ?? ONE}
        onChange={(count) => set({ count })}
      />
      <span className="word">{isOnce(node.count ?? ONE) ? 'time' : 'times'}</span>
      <WindowFields pointer={pointer} window={node} standard="30d" onChange={set} />
      <WhereFields {...{ node, pointer, set }} />
      <SumFields {...{ node, pointer, set }} />
      <FollowingFields {...{ node, pointer, set }} />
    </>
  );
}

/** Changes of an event; undefined removes a part. */
type Changes = { readonly [Key in keyof EventCondition]?: EventCondition[Key] | undefined };
type PartProps = {
  readonly node: EventCondition;
  readonly pointer: string;
  readonly set: (changes: Changes) => void;
};

/** Which event, with which attributes. */
export function NamedEventFields<Node extends NamedEvent>({
  label,
  node,
  pointer,
  onChange,
}: {
  readonly label: string;
  readonly node: Node;
  readonly pointer: string;
  readonly onChange: (node: Node) => void;
}) {
  const set = (changes: object): void => onChange(withoutAbsent({ ...node, ...changes }) as Node);
  return (
    <>
      <EventSelect
        label={label}
        pointer={`${pointer}/event`}
        event={node.event}
        onChange={(event) => set({ event })}
      />
      <WhereFields {...{ node, pointer, set }} />
    </>
  );
}

/** The slug of an event; empty: it is not known. */
export function useEventSlug(event: EventReference): string {
  const { names, events } = useBuilderFacts();
  if (typeof event === 'string') return event;
  return events.find(({ label }) => label === eventName(event, names))?.value ?? '';
}

type WhereProps = Pick<PartProps, 'pointer'> & {
  readonly node: NamedEvent;
  readonly set: (changes: Pick<Changes, 'where'>) => void;
};

function WhereFields({ node, pointer, set }: WhereProps) {
  const where = node.where ?? [];
  const slug = useEventSlug(node.event);
  const suggestions = useSuggestions(where.length === 0 ? '' : slug);
  const change = (next: readonly AttributeComparison[]): void =>
    set({ where: next.length === 0 ? undefined : next });
  return (
    <>
      {where.map((comparison, index) => (
        // Comparisons have no identity of their own; all their fields are controlled.
        // oxlint-disable-next-line react/no-array-index-key
        <div key={index} className="condition-line">
          <span className="word">{index === 0 ? 'where' : 'and'}</span>
          <AttributeFields
            label="Attribute of the event"
            node={comparison}
            pointer={`${pointer}/where/${index}`}
            suggestions={suggestions}
            onChange={(next) => change(where.with(index, next))}
          />
          <Remove label="this attribute" onClick={() => change(where.toSpliced(index, 1))} />
        </div>
      ))}
      <Add label="where" onClick={() => change([...where, { attribute: '', is: '' }])} />
    </>
  );
}

function SumFields({ node, pointer, set }: PartProps) {
  const { sum } = node;
  if (sum === undefined)
    return <Add label="revenue" onClick={() => set({ sum: { gte: 100 }, currency: 'EUR' })} />;
  return (
    <div className="condition-line">
      <span className="word">with revenue</span>
      <RangeFields
        label="Revenue"
        numberLabel="Amount"
        pointer={`${pointer}/sum`}
        range={sum}
        onChange={(next) => set({ sum: next })}
      />
      <Select
        label="Currency"
        pointer={`${pointer}/currency`}
        value={node.currency ?? ''}
        options={toOptions(EVENT_CURRENCIES, 'Choose a currency', (currency) => currency)}
        onChange={(currency) => set({ currency })}
      />
      <Remove label="the revenue" onClick={() => set({ sum: undefined, currency: undefined })} />
    </div>
  );
}

function FollowingFields({ node, pointer, set }: PartProps) {
  const kind = FOLLOWINGS.find((key) => node[key] !== undefined);
  const change = (key: Following | null, next: FollowingEvent): void =>
    set(Object.fromEntries(FOLLOWINGS.map((each) => [each, each === key ? next : undefined])));
  const step = kind === undefined ? undefined : node[kind];
  if (kind === undefined || step === undefined)
    return <Add label="then" onClick={() => change('neverFollowedBy', { event: '', in: '7d' })} />;
  return (
    <div className="condition-line">
      <span className="word">and</span>
      <Select
        label="Then"
        value={kind}
        options={FOLLOWED}
        onChange={(next) => change(next as Following, step)}
      />
      <EventSelect
        label="Next event"
        pointer={`${pointer}/${kind}/event`}
        event={step.event}
        onChange={(event) => change(kind, { ...step, event })}
      />
      <span className="word">within</span>
      <DurationFields
        label="Within"
        pointer={`${pointer}/${kind}/in`}
        duration={step.in ?? ''}
        onChange={(next) => change(kind, { ...step, in: next })}
      />
      <Remove label="what follows" onClick={() => change(null, step)} />
      <p className="soft small condition-note">{MEANINGS[kind]}</p>
    </div>
  );
}

type PartButton = { readonly label: string; readonly onClick: () => void };

function Add({ label, onClick }: PartButton) {
  return (
    <Button isSmall className="condition-add" onClick={onClick}>
      + {label}
    </Button>
  );
}

function Remove({ label, onClick }: PartButton) {
  return (
    <Button isSmall kind="plain" onClick={onClick} aria-label={`Remove ${label}`}>
      <Icon name="close" />
    </Button>
  );
}

function EventSelect({
  label,
  pointer,
  event,
  onChange,
}: {
  readonly label: string;
  readonly pointer: string;
  readonly event: EventReference;
  readonly onChange: (slug: string) => void;
}) {
  const { events, names } = useBuilderFacts();
  const value = typeof event === 'string' ? event : eventName(event, names);
  const current = events.find((option) => option.value === value || option.label === value);
  return (
    <Select
      label={label}
      pointer={pointer}
      value={current?.value ?? value}
      options={[{ value: '', label: 'Choose an event', isPrompt: true }, ...events]}
      onChange={onChange}
    />
  );
}
