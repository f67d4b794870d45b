import type {
  AutomationDefinition,
  AutomationNode,
} from '@tidings/contracts/automations/definition';
import type { Condition } from '@tidings/contracts/segments/conditions';
import { ways } from '../../automations/tree.ts';
import { PLACEHOLDER_SITE } from '../../automations/click-cautions.ts';
import type { IconName } from '../../ui/icon.tsx';

/** What a recipe may ask: the event that starts it, the one that is its goal, and a date of people. */
export type Asked = { readonly starts: string; readonly goal: string; readonly date: string };

export type Question = {
  readonly of: keyof Asked;
  readonly label: string;
  readonly isOptional?: true;
};

type Built = Pick<AutomationDefinition, 'nodes' | 'entry'> &
  Partial<Pick<AutomationDefinition, 'trigger' | 'exit'>>;

export type Recipe = {
  readonly name: string;
  readonly about: string;
  /** The first step of its picture. */
  readonly icon: IconName;
  readonly questions: readonly Question[];
  /** Who is in the segment that it needs; it is made with it. */
  readonly people?: (asked: Asked) => Condition;
  /** Without a trigger, `starts` is it; without an exit, `goal` ends it. */
  readonly build: (asked: Asked, segment: string) => Built;
};

const HELLO = "Hello {{ user.firstName | default: 'there' }}";

const mail = (id: string, title: string, ...lines: readonly string[]): AutomationNode => ({
  id,
  send: {
    channel: 'EMAIL',
    message: {
      title,
      body: [`${HELLO},`, ...lines, '<a href="{{unsubscribeUrl}}">Unsubscribe</a>']
        .map((line) => `<p>${line}</p>`)
        .join('\n'),
    },
  },
});
/** Leads where the event says, or else to a page of the site. */
const TO_CART = `<a href="{{ event.attributes.cartUrl | default: '${PLACEHOLDER_SITE}/cart' }}">Open my cart</a>`;
const wait = (id: string, delay: string): AutomationNode => ({ id, delay });
/** Where the person is: no message comes at night. */
const morning = (id: string): AutomationNode => ({ id, until: { time: '10:00' } });

/** Registered by the end of a day of 25 hours. */
const OF_TODAY = '26h';

/** Drafts that need an answer or two each. Their texts are there to be changed. */
export const RECIPES: readonly Recipe[] = [
  {
    name: 'Abandoned cart',
    about: 'Filled a cart, and no order within an hour.',
    icon: 'bolt',
    questions: [
      { of: 'starts', label: 'They fill the cart' },
      { of: 'goal', label: 'They order' },
    ],
    build: () => ({
      entry: { again: 'after', after: '3d' },
      nodes: [
        wait('wait1', '1h'),
        mail('mail1', 'Still yours', 'Your cart is waiting for you.', TO_CART),
        {
          id: 'until1',
          waitFor: { message: { node: 'mail1' }, was: 'clicked' },
          timeout: '1d',
          ...ways(
            [],
            [mail('mail2', 'Your cart is still there', 'Take one more look at it.', TO_CART)],
          ),
        },
      ],
    }),
  },
  {
    name: 'Welcome series',
    about: 'Three messages in the first week after they register.',
    icon: 'users',
    questions: [{ of: 'goal', label: 'They order' }],
    build: () => ({
      trigger: { date: { field: 'registeredAt' }, at: '00:00', maxAge: OF_TODAY },
      nodes: [
        mail('mail1', 'Welcome', 'It is good to have you here.'),
        wait('wait1', '2d'),
        morning('time1'),
        mail('mail2', 'Three tips to begin with', 'This is what others liked first.'),
        wait('wait2', '3d'),
        mail('mail3', 'How is it going?', 'Answer this message if you have a question.'),
      ],
    }),
  },
  {
    name: 'Win back',
    about: 'Nothing for 30 days: a reason to return.',
    icon: 'segments',
    questions: [{ of: 'starts', label: 'They order' }],
    people: ({ starts }) => ({
      all: [{ event: starts }, { not: { event: starts, within: '30d' } }],
    }),
    build: (_asked, segment) => ({
      trigger: { segment, when: 'enters' },
      exit: [{ segment, when: 'leaves', as: 'goal' }],
      entry: { again: 'always' },
      nodes: [
        morning('time1'),
        mail('mail1', 'It has been a while', 'See what is new since your last visit.'),
        wait('wait2', '4d'),
        mail('mail2', 'One more thing', 'We kept something for you.'),
      ],
    }),
  },
  {
    name: 'Review after delivery',
    about: 'Asks three days after the parcel came.',
    icon: 'bolt',
    questions: [
      { of: 'starts', label: 'The parcel comes' },
      { of: 'goal', label: 'They write a review' },
    ],
    build: () => ({
      entry: { again: 'always' },
      nodes: [
        wait('wait1', '3d'),
        morning('time1'),
        mail('mail1', 'How do you like it?', 'Tell us in one minute what you think of it.'),
      ],
    }),
  },
  {
    name: 'Birthday',
    about: 'A message on the morning of the day, each year.',
    icon: 'calendar',
    questions: [],
    build: () => ({
      trigger: { date: { field: 'birthday' }, at: '09:00', yearly: true },
      entry: { again: 'always' },
      nodes: [mail('mail1', 'Happy birthday', 'We wish you a wonderful day.')],
    }),
  },
  {
    name: 'Expiry reminder',
    about: 'A week before something ends, and on the day before.',
    icon: 'calendar',
    questions: [
      { of: 'date', label: 'When it ends: an attribute of people' },
      { of: 'goal', label: 'They renew' },
    ],
    build: ({ date }) => ({
      trigger: { date: { attribute: date }, offset: '-7d', at: '09:00' },
      entry: { again: 'always' },
      nodes: [
        mail('mail1', 'One week left', 'Your subscription ends in a week. Renew it to go on.'),
        { id: 'time1', until: { attribute: date, offset: '-1d', time: '09:00' } },
        mail('mail2', 'It ends tomorrow', 'This is the last day to renew it.'),
      ],
    }),
  },
];

/** Begins with one step: an automation without any cannot be kept. */
export const BLANK: Recipe = {
  name: 'New automation',
  about: 'One event, and one step.',
  icon: 'bolt',
  questions: [
    { of: 'starts', label: 'What starts it' },
    { of: 'goal', label: 'The goal (optional)', isOptional: true },
  ],
  build: () => ({ nodes: [wait('wait1', '1h')] }),
};

export function buildDefinition(
  { build }: Recipe,
  { name, segment, ...asked }: Asked & { readonly name: string; readonly segment: string },
): AutomationDefinition {
  return {
    version: 1,
    name,
    purpose: 'marketing',
    trigger: { event: asked.starts },
    ...(asked.goal !== '' && { exit: [{ event: asked.goal, as: 'goal' as const }] }),
    ...build(asked, segment),
  };
}
