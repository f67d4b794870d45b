import type {
  AutomationDefinition,
  AutomationNode,
} from '@tidings/contracts/automations/definition';
import { ways } from '../../automations/tree.ts';

/** What a recipe asks: the event that starts it, and the one that is its goal. */
export type Asked = { readonly starts: string; readonly goal: string };

export type Recipe = {
  readonly name: string;
  readonly about: string;
  readonly questions: Readonly<Record<keyof Asked, string>>;
  readonly build: () => Pick<AutomationDefinition, 'nodes' | 'entry'>;
};

const HELLO = "Hello {{ user.firstName | default: 'there' }}";

const mail = (id: string, title: string, text: string): AutomationNode => ({
  id,
  send: {
    channel: 'EMAIL',
    message: {
      title,
      body: `<p>${HELLO},</p>\n<p>${text}</p>\n<p><a href="{{unsubscribeUrl}}">Unsubscribe</a></p>`,
    },
  },
});
const wait = (id: string, delay: string): AutomationNode => ({ id, delay });
/** Where the person is: no message comes at night. */
const morning = (id: string): AutomationNode => ({ id, until: { time: '10:00' } });

/** Drafts that need two events each. Their texts are there to be changed. */
export const RECIPES: readonly Recipe[] = [
  {
    name: 'Abandoned cart',
    about: 'Filled a cart, and no order within an hour.',
    questions: { starts: 'They fill the cart', goal: 'They order' },
    build: () => ({
      entry: { again: 'after', after: '3d' },
      nodes: [
        wait('wait1', '1h'),
        mail('mail1', 'Still yours', 'Your cart is waiting for you.'),
        {
          id: 'until1',
          waitFor: { message: { node: 'mail1' }, was: 'clicked' },
          timeout: '1d',
          ...ways([], [mail('mail2', 'Your cart is still there', 'Take one more look at it.')]),
        },
      ],
    }),
  },
  {
    name: 'Welcome series',
    about: 'Three messages in the first week.',
    questions: { starts: 'They begin', goal: 'They order' },
    build: () => ({
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
    questions: { starts: 'They order', goal: 'They return' },
    build: () => ({
      entry: { again: 'after', after: '30d' },
      nodes: [
        wait('wait1', '30d'),
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
    questions: { starts: 'The parcel comes', goal: 'They write a review' },
    build: () => ({
      entry: { again: 'always' },
      nodes: [
        wait('wait1', '3d'),
        morning('time1'),
        mail('mail1', 'How do you like it?', 'Tell us in one minute what you think of it.'),
      ],
    }),
  },
];

/** Begins with one step: an automation without any cannot be kept. */
export const BLANK: Recipe = {
  name: 'New automation',
  about: 'One event, and one step.',
  questions: { starts: 'What starts it', goal: 'The goal (optional)' },
  build: () => ({ nodes: [wait('wait1', '1h')] }),
};

export function buildDefinition(
  { build }: Recipe,
  { name, ...asked }: Asked & { readonly name: string },
): AutomationDefinition {
  return {
    version: 1,
    name,
    purpose: 'marketing',
    trigger: { event: asked.starts },
    ...(asked.goal !== '' && { exit: [{ event: asked.goal, as: 'goal' as const }] }),
    ...build(),
  };
}
