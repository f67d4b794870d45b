import { describe, expect, test } from '@jest/globals';
import type {
  AutomationDefinition,
  AutomationNode,
  AutomationSend,
} from '@tidings/contracts/automations/definition';
import { clickCautions } from './click-cautions.ts';
import { ways } from './tree.ts';

const of = (...nodes: readonly AutomationNode[]): AutomationDefinition => ({
  version: 1,
  name: 'Cart',
  purpose: 'marketing',
  trigger: { event: 'cartd' },
  nodes,
});
const waited = (send: AutomationSend, was: 'clicked' | 'opened' = 'clicked') =>
  of(
    { id: 'mail1', send },
    { id: 'until1', waitFor: { message: { node: 'mail1' }, was }, timeout: '1d', ...ways() },
  );
const mail = (body: string, format?: 'text' | 'html'): AutomationSend => ({
  channel: 'EMAIL',
  message: { title: 'T', body, ...(format !== undefined && { format }) },
});
const UNSUBSCRIBE = '<a href="{{unsubscribeUrl}}">Stop</a>';
const LINK = '<a href="https://shop.test/cart">Cart</a>';
const template = (body: string, variant?: string) => ({
  slug: 'cart',
  message: { title: 'T', body },
  variants:
    variant === undefined
      ? []
      : [
          {
            name: 'V',
            condition: { field: 'country', is: 'DE' } as const,
            message: { title: 'T', body: variant },
          },
        ],
});
const NONE = 'A step waits for a click on this message, and it has no link but unsubscribing.';
const textsOf = (...of: Parameters<typeof clickCautions>) =>
  clickCautions(...of).map(({ at, text }) => `${at}: ${text}`);

describe('a step that waits for a click on a mail', () => {
  test.each([
    ['no link', mail('<p>Hello</p>')],
    ['a link to unsubscribe', mail(`<p>Hello</p>${UNSUBSCRIBE}`)],
    ['a link in a comment', mail(`<p>Hello</p><!-- ${LINK} -->`)],
    ['a link to write a mail', mail('<p><a href="mailto:a@shop.test">Ask</a></p>')],
    ['an address in a text', mail('https://shop.test/cart', 'text')],
    ['none in one of two mails', { try: [mail('<p>x</p>'), mail('<p>y</p>')] } as AutomationSend],
  ])('of %s has a notice at the message', (_what, send) => {
    expect(textsOf(waited(send))).toEqual([`mail1: ${NONE}`]);
  });

  test.each([
    ['a link', mail(`<p>${LINK}</p>${UNSUBSCRIBE}`)],
    ['a link of the event', mail(`<a href="{{ event.attributes.url | default: 'x' }}">Cart</a>`)],
    ['a block, which may have one', mail('<p>Hello</p>{% block "footer" %}')],
    ['a notification', { channel: 'WEB_PUSH', message: { body: 'Hello' } }],
    [
      'a link in one of two',
      { try: [mail('<p>x</p>'), { channel: 'APP_PUSH', message: { body: 'x' } }] },
    ],
    ['a template that is not known', { channel: 'EMAIL', template: 'other' }],
    ['a version of one', { channel: 'EMAIL', template: 'cart@2' }],
  ] as readonly (readonly [string, AutomationSend])[])('is all right with %s', (_what, send) => {
    expect(textsOf(waited(send), [template('<p>Hello</p>')])).toEqual([]);
  });

  test('of a template asks all of its variants', () => {
    const send = { channel: 'EMAIL', template: 'cart' } as const;

    expect(textsOf(waited(send), [template('<p>x</p>', '<p>y</p>')])).toEqual([`mail1: ${NONE}`]);
    expect(textsOf(waited(send), [template('<p>x</p>', LINK)])).toEqual([]);
  });

  test('of a channel that reports none says so', () => {
    expect(textsOf(waited({ channel: 'SMS', message: { body: 'https://shop.test' } }))).toEqual([
      'mail1: A step waits for a click on this message, and SMS reports none.',
    ]);
  });

  test('does not mean one that waits for an open', () => {
    expect(textsOf(waited(mail('<p>Hello</p>'), 'opened'))).toEqual([]);
  });
});

test('a split by clicks names each branch without a link', () => {
  const branch = (id: string, body: string) => ({ weight: 50, nodes: [{ id, send: mail(body) }] });
  const split = (by: 'clicked' | 'goal') =>
    of({
      id: 'split1',
      split: [branch('a', LINK), branch('b', UNSUBSCRIBE)],
      winner: { by, after: '3d' },
    });

  expect(textsOf(split('clicked'))).toEqual([
    'split1: Clicks are compared, and no message of B has a link but unsubscribing.',
  ]);
  expect(textsOf(split('goal'))).toEqual([]);
});

test('a link that a recipe made up is to be replaced', () => {
  const body = '<a href="https://shop.example/cart">Cart</a>';

  expect(textsOf(of({ id: 'mail1', send: mail(body) }))).toEqual([
    'mail1: Put the address of your site in place of shop.example.',
  ]);
});
