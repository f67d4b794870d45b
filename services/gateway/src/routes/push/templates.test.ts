import { LIMITS } from '@tidings/contracts/limits';
import { describePushCorpus, pushOf, rejected, type PushCase } from '../../testing/push-corpus.ts';

const { message: _message, ...push } = pushOf('SMS') as { readonly message: unknown };
const row = (name: string, fields: object, ...errors: readonly string[]): PushCase =>
  rejected(name, { ...push, ...fields }, ...errors);

const a = { template: 'a', share: 1 };
const b = { template: 'b', share: 1 };

describePushCorpus('a template of a push', ({ cases }) => {
  cases([
    row('nothing to send', {}, '/message required'),
    row(
      'null for all of it',
      { message: null, template: null, split: null },
      '/message wrong_type',
    ),
    row('a number', { template: 5 }, '/template wrong_type'),
    row('true', { template: true }, '/template wrong_type'),
    row('a list', { template: ['a'] }, '/template wrong_type'),
    row('an object', { template: { slug: 'a' } }, '/template wrong_type'),
    ...[
      '',
      '@',
      '@1',
      'a@',
      'a@0',
      'a@01',
      'a@-1',
      'a@1.5',
      'a@1e3',
      'a@latest',
      'a@1@2',
      'a @1',
      'a@1234567890',
      'a@１',
      'Welcome',
      '-welcome',
      'wel_come',
      'wel come',
      ' welcome',
      'welcome\n',
      'wel\0come',
      '\ud800',
      '../welcome',
      '__proto__',
      '{{ user.city }}',
      'w'.repeat(65),
    ].map((template) => row(JSON.stringify(template), { template }, '/template invalid_value')),
    row('beside a message', { template: 'a', message: { body: 'x' } }, '/template exactly_one_of'),
    row('beside a split', { template: 'a', split: [a, b] }, '/split exactly_one_of'),
    row(
      'beside both',
      { template: 'a', split: [a, b], message: { body: 'x' } },
      '/split exactly_one_of',
    ),
    row('for no channel', { channel: undefined, template: 'a' }, '/channel required'),
    row('for an unknown channel', { channel: 'FAX', template: 'a' }, '/channel invalid_value'),
    row('without recipients', { recipients: undefined, template: 'a' }, '/recipients required'),
    row(
      'with other faults',
      { template: 5, purpose: 'fun', sendAt: 'now' },
      '/template wrong_type',
      '/purpose invalid_value',
      '/sendAt wrong_type',
    ),
    row('in a dry run', { template: 5, dryRun: true }, '/template wrong_type'),
  ]);
});

describePushCorpus('a split of a push', ({ cases }) => {
  const of = (first: unknown) => ({ split: [first, b] });
  const share = (value: unknown) => of({ template: 'a', share: value });
  cases([
    row('a text', { split: 'a' }, '/split wrong_type'),
    row('an object', { split: a }, '/split wrong_type'),
    row('of none', { split: [] }, '/split empty'),
    row('of one', { split: [a] }, '/split out_of_range'),
    row('beside a message', { split: [a, b], message: { body: 'x' } }, '/split exactly_one_of'),
    row(
      'of more than the limit',
      {
        split: Array.from({ length: LIMITS.splitTemplatesMax + 1 }, (_, index) => ({
          template: `a${index}`,
          share: 1,
        })),
      },
      '/split too_many',
    ),
    row('of the same twice', { split: [a, b, a] }, '/split/2/template invalid_value'),
    row('with a text', of('a'), '/split/0 wrong_type'),
    row('with null', of(null), '/split/0 wrong_type'),
    row('with a list', of(['a', 1]), '/split/0 wrong_type'),
    row('with nothing in one', of({}), '/split/0/template required', '/split/0/share required'),
    row('without a template', of({ share: 1 }), '/split/0/template required'),
    row('without a share', of({ template: 'a' }), '/split/0/share required'),
    row(
      'with a template of null',
      of({ template: null, share: 1 }),
      '/split/0/template wrong_type',
    ),
    row(
      'with a template that is a number',
      of({ template: 5, share: 1 }),
      '/split/0/template wrong_type',
    ),
    row(
      'with a template that is no slug',
      of({ template: 'A b', share: 1 }),
      '/split/0/template invalid_value',
    ),
    row(
      'with a version that is none',
      of({ template: 'a@0', share: 1 }),
      '/split/0/template invalid_value',
    ),
    row('with a message', of({ ...a, message: { body: 'x' } }), '/split/0/message invalid_value'),
    row(
      'with a weight',
      of({ template: 'a', share: 1, weight: 1 }),
      '/split/0/weight invalid_value',
    ),
    row('with a share of 0', share(0), '/split/0/share out_of_range'),
    row('with a share below 0', share(-1), '/split/0/share out_of_range'),
    row('with a large share', share(LIMITS.splitShareMax + 1), '/split/0/share out_of_range'),
    row('with half a share', share(0.5), '/split/0/share wrong_type'),
    row('with a share as text', share('50'), '/split/0/share wrong_type'),
    row('with a share in percent', share('50%'), '/split/0/share wrong_type'),
    row('with a share of null', share(null), '/split/0/share wrong_type'),
    row('with a share of true', share(true), '/split/0/share wrong_type'),
    row(
      'with two faults',
      {
        split: [
          { template: 'A', share: 1 },
          { template: 'b', share: 0 },
        ],
      },
      '/split/0/template invalid_value',
      '/split/1/share out_of_range',
    ),
  ]);
});

describePushCorpus('a personalised message of a push', ({ cases }) => {
  const mail = (body: string, more: object = {}) => ({
    channel: 'EMAIL',
    personalize: true,
    message: { body, ...more },
  });
  const bad = (name: string, body: string, code: string) =>
    row(name, mail(body), `/message/body ${code}`);
  cases([
    ...['yes', 1, [], {}].map((personalize) =>
      row(
        `personalize of ${JSON.stringify(personalize)}`,
        { message: { body: 'x' }, personalize },
        '/personalize wrong_type',
      ),
    ),
    row('no message', { personalize: true }, '/message required'),
    row(
      'a message as text',
      { personalize: true, message: '{{ user.city }}' },
      '/message wrong_type',
    ),
    row('no body', { personalize: true, message: {} }, '/message/body required'),
    row('an empty body', { personalize: true, message: { body: '' } }, '/message/body empty'),
    bad('an output that does not end', 'Hi {{ user.city', 'template_syntax'),
    bad('a tag that does not end', 'Hi {% if user.city', 'template_syntax'),
    bad('a tag that reads files', '{% include "a" %}', 'template_syntax'),
    bad('a filter that does not escape', '{{ user.city | raw }}', 'template_syntax'),
    bad('an unknown root', '{{ name }}', 'unknown_variable'),
    bad('a prototype', '{{ user.__proto__ }}', 'unknown_variable'),
    bad('a constructor', '{{ user.constructor.name }}', 'unknown_variable'),
    bad('the process', '{{ process.env.SECRET }}', 'unknown_variable'),
    bad('a hash of an address', '{{ user.hashedEmail }}', 'unknown_variable'),
    bad('a value in a script', '<p><script>{{ user.city }}</script>', 'unsafe_place'),
    bad('a value in a handler', '<p onclick="{{ user.city }}">', 'unsafe_place'),
    bad('a value after a scheme', '<a href="javascript:{{ user.city }}">', 'unsafe_place'),
    bad('a mark', '<p>{{ user.city }}\uFDD0', 'invalid_value'),
    bad('U+0000', 'a\0{{ user.city }}', 'nul_not_allowed'),
    bad('blocks within blocks', '{% if user.city %}'.repeat(100), 'too_deep'),
    bad('many outputs', '{{ user.city }}'.repeat(6_000), 'too_many'),
    bad('a long output', `{{ user.city | append: "${'x'.repeat(20_000)}" }}`, 'too_long'),
    row(
      'more text than the limit',
      mail(`${'x'.repeat(LIMITS.templateBytesMax)}{{ user.city }}`),
      '/message/body too_long',
    ),
    row(
      'a fault in each text',
      mail('{% if %}', { title: '{{ nope }}' }),
      '/message/title unknown_variable',
      '/message/body template_syntax',
    ),
    row(
      'a fault in a button',
      {
        channel: 'APP_PUSH',
        personalize: true,
        message: { body: 'x', buttons: [{ label: '{{ nope }}', link: 'app://x' }] },
      },
      '/message/buttons/0/label unknown_variable',
    ),
    row(
      'a link that is none',
      {
        channel: 'WEB_PUSH',
        personalize: true,
        message: { body: 'x', url: 'javascript:alert(1)' },
      },
      '/message/url invalid_value',
    ),
    row(
      'a fault in the body of a hook',
      { channel: 'WEB_HOOK', personalize: true, message: { body: { 'a/b': ['{{ nope }}'] } } },
      '/message/body/a~1b/0 unknown_variable',
    ),
  ]);
});

describePushCorpus('how a push finds the better template', ({ cases }) => {
  const winner = { percent: 20, by: 'clicked', after: '4h' };
  const of = (given: Readonly<Record<string, unknown>>) => ({
    channel: 'EMAIL',
    split: [a, b],
    winner: { ...winner, ...given },
  });
  cases([
    row('a text', { split: [a, b], winner: 'a' }, '/winner wrong_type'),
    row('without a split', { template: 'a', winner }, '/winner invalid_value'),
    row('beside a message', { message: { body: 'x' }, winner }, '/winner invalid_value'),
    row(
      'at a local time',
      { split: [a, b], winner, sendAtLocal: '2026-12-24T09:00' },
      '/winner exactly_one_of',
    ),
    row(
      'with nothing in it',
      { split: [a, b], winner: {} },
      '/winner/percent required',
      '/winner/by required',
      '/winner/after required',
    ),
    row('with an unknown field', of({ share: 0.2 }), '/winner/share invalid_value'),
    row('of too few', of({ percent: LIMITS.winnerPercentMin - 1 }), '/winner/percent out_of_range'),
    row('of all', of({ percent: 100 }), '/winner/percent out_of_range'),
    row('of a fraction', of({ percent: 20.5 }), '/winner/percent wrong_type'),
    row('of a text', of({ percent: '20' }), '/winner/percent wrong_type'),
    row('by revenue', of({ by: 'revenue' }), '/winner/by invalid_value'),
    row(
      'by opens of a channel that reports none',
      { ...of({ by: 'opened' }), channel: 'SMS' },
      '/winner/by invalid_value',
    ),
    row('after a number', of({ after: 4 }), '/winner/after wrong_type'),
    row('after words', of({ after: 'a while' }), '/winner/after invalid_value'),
    row('after months', of({ after: '1y' }), '/winner/after invalid_value'),
    row('too early', of({ after: '14m' }), '/winner/after out_of_range'),
    row('too late', of({ after: '169h' }), '/winner/after out_of_range'),
    row('in a dry run', { ...of({ after: '8d' }), dryRun: true }, '/winner/after out_of_range'),
  ]);
});
