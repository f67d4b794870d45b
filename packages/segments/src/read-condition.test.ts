import { describe, expect, test } from '@jest/globals';
import { LIMITS } from '@tidings/contracts/limits';
import type { Condition } from '@tidings/contracts/segments/conditions';
import type { ConditionContext } from './condition-context.ts';
import { readCondition } from './read-condition.ts';
import { DEFINITIONS } from './testing/create-population.ts';

const chain = (length: number): [string, Condition][] =>
  Array.from({ length }, (_, index) => [
    `level-${index}`,
    index === 0 ? { field: 'country', is: 'DE' } : { segment: `level-${index - 1}` },
  ]);
const wide: Condition = {
  all: Array.from({ length: 30 }, (): Condition => ({ attribute: 'plan', is: 'pro' })),
};
const dropped = (rest: object) => ({
  funnel: 'buying',
  state: 'dropped' as const,
  step: 2,
  within: '30d',
  ...rest,
});
const context: ConditionContext = {
  applicationId: '01a1fda0-84a5-72c8-802b-8cdeabd134bc',
  definitions: DEFINITIONS,
  segments: new Map([
    ['vip', { attribute: 'plan', is: 'pro' }],
    ['loop', { not: { segment: 'pool' } }],
    ['pool', { any: [{ segment: 'loop' }] }],
    ['lost', { segment: 'nowhere' }],
    ['in-funnels', { any: [dropped({ within: '2d' }), dropped({ within: '3d' })] as Condition[] }],
    ['wide', wide],
    ['wider', { all: [{ segment: 'wide' }, { segment: 'wide' }] }],
    ...chain(5),
  ]),
  funnels: new Map([
    [
      'buying',
      { steps: [{ event: 'viewd' }, { event: 'chkot' }, { event: 'order' }], window: '7d' },
    ],
  ]),
  eventRetentionDays: 60,
  deliveryRetentionDays: 90,
};
const plan = { attribute: 'plan', is: 'pro' };
const nested = (levels: number): object => (levels === 0 ? plan : { not: nested(levels - 1) });
const deepArray = (levels: number): unknown =>
  JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`);
const campaignId = '01a1fda0-84a5-72c8-802b-8cdeabd134bc';
const event = (rest: object) => ({ event: 'viewd', ...rest });
const order = (rest: object) => ({ event: 'order', ...rest });
const list = (count: number) => Array.from({ length: count }, () => plan);

describe('a condition that is not valid gets the pointer and code of each fault', () => {
  test.each<[what: string, value: unknown, faults: string[]]>([
    // The shape
    ['no object', 5, [' wrong_type']],
    ['null', null, [' wrong_type']],
    ['an array', [plan], [' wrong_type']],
    ['a text', 'country = DE', [' wrong_type']],
    ['nothing in it', {}, [' exactly_one_of']],
    ['an unknown key alone', { every: [plan] }, [' exactly_one_of']],
    ['an unknown key beside', { ...plan, weight: 2 }, ['/weight invalid_value']],
    ['two keys', { all: [plan], any: [plan] }, [' exactly_one_of']],
    ['two leaves in one', { field: 'country', attribute: 'plan', is: 'DE' }, [' exactly_one_of']],
    ['a version of later', { version: 2, all: [plan] }, ['/version invalid_value']],
    ['a version inside', { all: [{ version: 1, ...plan }] }, ['/all/0/version invalid_value']],
    ['all of nothing', { all: [] }, ['/all empty']],
    ['any of nothing', { any: [] }, ['/any empty']],
    ['all of no list', { all: plan }, ['/all wrong_type']],
    ['not of a list', { not: [plan] }, ['/not wrong_type']],
    [
      'a fault deep inside',
      { all: [plan, { not: { any: [{}] } }] },
      ['/all/1/not/any/0 exactly_one_of'],
    ],
    [
      'two faults',
      { all: [{}, { attribute: '', is: 1 }] },
      ['/all/0 exactly_one_of', '/all/1/attribute empty'],
    ],
    // Bounds
    ['too many levels', nested(LIMITS.conditionDepthMax), ['/not/not/not/not/not/not too_deep']],
    ['nesting of JSON', { all: deepArray(60) }, [`/all${'/0'.repeat(19)} too_deep`]],
    ['nesting of a megabyte', deepArray(16_000), [`${'/0'.repeat(20)} too_deep`]],
    ['too many bytes', { all: [{ attribute: 'a', is: 'x'.repeat(17_000) }] }, [' too_long']],
    [
      'too many values in all',
      { attribute: 'a', in: Array.from({ length: 17_000 }, () => 1) },
      [' too_long'],
    ],
    ['too many leaves in one list', { all: list(51) }, ['/all too_many']],
    ['too many leaves', { any: [{ all: list(26) }, { all: list(25) }] }, [' too_many']],
    ['a text that is too long', { attribute: 'a', is: 'x'.repeat(1025) }, ['/is too_long']],
    ['a key that is too long', { attribute: 'x'.repeat(1025), is: 1 }, ['/attribute too_long']],
    [
      'too many values',
      { attribute: 'a', in: Array.from({ length: 1001 }, () => 1) },
      ['/in too_many'],
    ],
    [
      'a path that is too long',
      { attribute: Array.from({ length: 17 }, () => 'a'), is: 1 },
      ['/attribute too_many'],
    ],
    // Comparisons
    ['no comparison', { attribute: 'plan' }, [' exactly_one_of']],
    ['two comparisons', { attribute: 'plan', is: 1, exists: true }, [' exactly_one_of']],
    ['a number and an instant', { attribute: 'a', gt: 1, before: 1 }, [' exactly_one_of']],
    ['an unknown operator', { attribute: 'plan', matches: '.*' }, ['/matches invalid_value']],
    ['is of null', { attribute: 'plan', is: null }, ['/is wrong_type']],
    ['is of an object', { attribute: 'plan', is: {} }, ['/is wrong_type']],
    ['is of U+0000', { attribute: 'plan', is: 'a\0b' }, ['/is invalid_value']],
    ['is of a lone surrogate', { attribute: 'plan', is: '\ud800' }, ['/is invalid_value']],
    ['in of one value', { attribute: 'plan', in: 'pro' }, ['/in wrong_type']],
    ['in of nothing', { attribute: 'plan', in: [] }, ['/in empty']],
    ['in with null', { attribute: 'plan', in: ['pro', null] }, ['/in/1 wrong_type']],
    ['a bound as text', { attribute: 'score', gt: '5' }, ['/gt wrong_type']],
    ['exists of a text', { attribute: 'plan', exists: 'yes' }, ['/exists wrong_type']],
    ['contains of nothing', { attribute: 'plan', contains: '' }, ['/contains empty']],
    ['startsWith of a number', { attribute: 'plan', startsWith: 5 }, ['/startsWith wrong_type']],
    ['an instant as text', { attribute: 'a', before: '2026-01-01' }, ['/before wrong_type']],
    ['half a millisecond', { attribute: 'a', before: 0.5 }, ['/before wrong_type']],
    ['an instant out of range', { attribute: 'a', before: 9e15 }, ['/before out_of_range']],
    ['an instant without a duration', { attribute: 'a', before: {} }, ['/before empty']],
    [
      'a duration without a unit',
      { attribute: 'a', after: { ago: '30' } },
      ['/after/ago invalid_value'],
    ],
    [
      'a duration of a year',
      { attribute: 'a', after: { ago: '1y' } },
      ['/after/ago invalid_value'],
    ],
    [
      'a duration that is too long',
      { attribute: 'a', after: { ago: '3651d' } },
      ['/after/ago out_of_range'],
    ],
    ['an empty path', { attribute: [], is: 1 }, ['/attribute empty']],
    ['an empty step of a path', { attribute: ['a', ''], is: 1 }, ['/attribute/1 empty']],
    ['a path of numbers', { attribute: ['a', 0], is: 1 }, ['/attribute/1 wrong_type']],
    // Fields
    ['an unknown field', { field: 'age', is: 'x' }, ['/field invalid_value']],
    [
      'a field of custom attributes',
      { field: 'customAttributes', exists: true },
      ['/field invalid_value'],
    ],
    ['a text field with a number', { field: 'country', is: 5 }, ['/is wrong_type']],
    ['a text field with numbers', { field: 'country', in: ['DE', 5] }, ['/in wrong_type']],
    ['a text field with a bound', { field: 'country', gt: 5 }, ['/gt invalid_value']],
    ['a text field with an instant', { field: 'city', before: 5 }, ['/before invalid_value']],
    ['a birthday with a text', { field: 'birthday', is: '1990' }, ['/is invalid_value']],
    [
      'registeredAt that exists',
      { field: 'registeredAt', exists: true },
      ['/exists invalid_value'],
    ],
    [
      'a proof of registeredAt',
      { field: 'registeredAt', before: 5, proved: true },
      ['/proved invalid_value'],
    ],
    // Events
    ['an unknown slug', event({ event: 'nosuch' }), ['/event invalid_value']],
    [
      'an unknown slug inside',
      { all: [plan, plan, plan, { event: 'nosuch' }] },
      ['/all/3/event invalid_value'],
    ],
    ['an unknown name', { event: { kind: 'action', name: 'nosuch' } }, ['/event invalid_value']],
    [
      'a name of another kind',
      { event: { kind: 'revenue', name: 'name of viewd' } },
      ['/event invalid_value'],
    ],
    ['an event without a name', { event: { kind: 'action' } }, ['/event/name required']],
    ['an event of no kind', { event: { kind: 'user', name: 'x' } }, ['/event/kind invalid_value']],
    ['an event as a number', { event: 5 }, ['/event wrong_type']],
    ['a window in months', event({ within: '3mo' }), ['/within invalid_value']],
    ['a window of nothing', event({ within: '0d' }), ['/within invalid_value']],
    ['a window that is too long', event({ within: '522w' }), ['/within out_of_range']],
    ['two windows', event({ within: '1d', from: 5 }), [' exactly_one_of']],
    ['a window that ends before it begins', event({ from: 5, to: 5 }), ['/to out_of_range']],
    ['where of nothing', event({ where: [] }), ['/where empty']],
    ['where without an attribute', event({ where: [{ is: 5 }] }), ['/where/0/attribute required']],
    [
      'where without a comparison',
      event({ where: [{ attribute: 'price' }] }),
      ['/where/0 exactly_one_of'],
    ],
    [
      'where of a field',
      event({ where: [{ field: 'country', is: 'DE' }] }),
      ['/where/0/attribute required', '/where/0/field invalid_value'],
    ],
    [
      'where of revenue',
      order({ where: [{ attribute: 'price', gt: 5 }] }),
      ['/where invalid_value'],
    ],
    ['a count as a number', event({ count: 3 }), ['/count wrong_type']],
    ['a count without bounds', event({ count: {} }), ['/count empty']],
    ['a count with is', event({ count: { is: 3 } }), ['/count/is invalid_value']],
    ['a sum without a currency', order({ sum: { gt: 5 } }), ['/currency required']],
    [
      'an unknown currency',
      order({ sum: { gt: 5 }, currency: 'eur' }),
      ['/currency invalid_value'],
    ],
    ['a currency of no revenue', event({ currency: 'EUR' }), ['/currency invalid_value']],
    [
      'a sum of no revenue',
      event({ sum: { gt: 5 }, currency: 'EUR' }),
      ['/sum invalid_value', '/currency invalid_value'],
    ],
    [
      'never followed by an unknown event, in too long',
      event({ neverFollowedBy: { event: 'nosuch', in: '3651d' } }),
      ['/neverFollowedBy/event invalid_value', '/neverFollowedBy/in out_of_range'],
    ],
    ['followed by nothing', event({ followedBy: {} }), ['/followedBy/event required']],
    [
      'followed by an unknown event',
      event({ followedBy: { event: 'nosuch' } }),
      ['/followedBy/event invalid_value'],
    ],
    [
      'not followed by a fault',
      event({ notFollowedBy: { event: 'order', in: '1x' } }),
      ['/notFollowedBy/in invalid_value'],
    ],
    [
      'followed after too long',
      event({ followedBy: { event: 'order', in: '3651d' } }),
      ['/followedBy/in out_of_range'],
    ],
    [
      'followed within a window',
      event({ followedBy: { event: 'order', within: '1d' } }),
      ['/followedBy/within invalid_value'],
    ],
    ['proved as a text', event({ proved: 'yes' }), ['/proved wrong_type']],
    // Segments, reachability, messages
    ['an unknown segment', { segment: 'nowhere' }, ['/segment invalid_value']],
    ['a slug in capitals', { segment: 'VIP' }, ['/segment invalid_value']],
    [
      'a segment that names an unknown one',
      { not: { segment: 'lost' } },
      ['/not/segment invalid_value'],
    ],
    ['a cycle of segments', { segment: 'loop' }, ['/segment invalid_value']],
    ['too many segments within each other', { segment: 'level-3' }, ['/segment invalid_value']],
    [
      'too many leaves with segments',
      {
        all: [
          { segment: 'wider' },
          { segment: 'wider' },
          { segment: 'wider' },
          { segment: 'wider' },
        ],
      },
      [' too_many'],
    ],
    ['a segment with a comparison', { segment: 'vip', is: true }, ['/is invalid_value']],
    // Funnels
    ['an unknown funnel', dropped({ funnel: 'nosuch' }), ['/funnel invalid_value']],
    ['a funnel as a number', dropped({ funnel: 5 }), ['/funnel wrong_type']],
    ['an unknown state', dropped({ state: 'lost' }), ['/state invalid_value']],
    ['no state', { funnel: 'buying', step: 1, within: '30d' }, ['/state required']],
    ['dropped at no step', dropped({ step: undefined }), ['/step required']],
    ['dropped at the last step', dropped({ step: 3 }), ['/step out_of_range']],
    ['open at the last step', dropped({ state: 'open', step: 3 }), ['/step out_of_range']],
    ['reached beyond the last', dropped({ state: 'reached', step: 4 }), ['/step out_of_range']],
    ['step 0', dropped({ step: 0 }), ['/step out_of_range']],
    ['converted at a step', dropped({ state: 'converted' }), ['/step invalid_value']],
    ['entered at any time', dropped({ within: undefined }), [' exactly_one_of']],
    ['entered from, without to', dropped({ within: undefined, from: 5 }), [' exactly_one_of']],
    ['entered within and to', dropped({ to: 5 }), [' exactly_one_of']],
    ['entered within too long', dropped({ within: '401d' }), ['/within out_of_range']],
    [
      'entered before it begins',
      dropped({ within: undefined, from: 5, to: 5 }),
      ['/to out_of_range'],
    ],
    [
      'entered in too long a time',
      dropped({ within: undefined, from: 0, to: 400 * 86_400_000 + 1 }),
      ['/to out_of_range'],
    ],
    [
      'a funnel of its own with faults',
      dropped({
        step: 1,
        funnel: {
          steps: [{ event: 'viewd' }, { event: 'nosuch', where: [{ attribute: 'a' }] }],
          window: '366d',
        },
      }),
      [
        '/funnel/steps/1/event invalid_value',
        '/funnel/steps/1/where/0 exactly_one_of',
        '/funnel/window out_of_range',
      ],
    ],
    [
      'a funnel of its own with one step',
      dropped({ funnel: { steps: [{ event: 'viewd' }], window: '1d' } }),
      ['/funnel/steps out_of_range'],
    ],
    [
      'three funnels',
      { any: ['1d', '2d', '3d'].map((within) => dropped({ within })) },
      [' too_many'],
    ],
    [
      'three funnels with those of its segments',
      { any: [dropped({ within: '1d' }), { segment: 'in-funnels' }] },
      [' too_many'],
    ],
    ['an unknown channel', { reachable: 'FAX' }, ['/reachable invalid_value']],
    ['an unknown purpose', { reachable: 'EMAIL', purpose: 'fun' }, ['/purpose invalid_value']],
    [
      'a message of a campaign and a channel',
      { message: { campaignId, channel: 'EMAIL' }, was: 'sent' },
      ['/message exactly_one_of'],
    ],
    [
      'a count of the message of a campaign',
      { message: { campaignId }, was: 'sent', count: { gte: 1 } },
      ['/count invalid_value'],
    ],
    [
      'messages of an unknown channel and purpose',
      { message: { channel: 'FAX', purpose: 'fun' }, was: 'sent' },
      ['/message/channel invalid_value', '/message/purpose invalid_value'],
    ],
    [
      'a message of a campaign and a tag',
      { message: { campaignId, tag: 'sale' }, was: 'sent' },
      ['/message exactly_one_of'],
    ],
    ['messages without a tag', { message: { tag: '' }, was: 'sent' }, ['/message/tag empty']],
    ['messages with a count of nothing', { message: {}, was: 'sent', count: {} }, ['/count empty']],
    [
      'a message of no id',
      { message: { campaignId: 'x' }, was: 'sent' },
      ['/message/campaignId invalid_value'],
    ],
    ['a message without a milestone', { message: { campaignId } }, ['/was required']],
    ['an unknown milestone', { message: { campaignId }, was: 'read' }, ['/was invalid_value']],
    [
      'a message in two windows',
      { message: { campaignId }, was: 'sent', within: '1d', to: 5 },
      [' exactly_one_of'],
    ],
  ])('%s', (_what, value, faults) => {
    expect(faultsOf(value)).toEqual(faults);
  });

  test('a cycle is not taken for a condition that is too deep', () => {
    expect(readCondition({ segment: 'loop' }, context)).toMatchObject({
      errors: [{ expected: 'a segment that does not lead back to itself' }],
    });
  });

  test('pointers begin where the condition is', () => {
    const read = readCondition({ all: [] }, context, '/condition');

    expect(read).toMatchObject({ ok: false, errors: [{ pointer: '/condition/all' }] });
  });
});

function faultsOf(value: unknown): string[] {
  const read = readCondition(value, context);
  return read.ok ? [] : read.errors.map(({ pointer, code }) => `${pointer} ${code}`);
}

describe('a condition is valid', () => {
  test.each<[what: string, value: object]>([
    ['with its version', { version: 1, all: [plan] }],
    ['at the greatest depth', nested(LIMITS.conditionDepthMax - 1)],
    ['with the most leaves', { all: list(50) }],
    ['with the most values', { attribute: 'a', in: Array.from({ length: 1000 }, () => 1) }],
    ['with three segments within each other', { segment: 'level-2' }],
    [
      'with all parts of an event',
      order({
        within: '30d',
        count: { gte: 2, lt: 5 },
        sum: { gt: 200 },
        currency: 'EUR',
        followedBy: { event: 'viewd', where: [{ attribute: ['a', 'b'], exists: true }], in: '1h' },
        notFollowedBy: { event: 'login' },
        neverFollowedBy: { event: 'order', in: '7d' },
        proved: true,
      }),
    ],
    ['with the currency alone', order({ currency: 'EUR' })],
    ['with both bounds of time', { field: 'birthday', after: -1e12, before: { ahead: '1d' } }],
    ['with an empty text', { field: 'city', is: '' }],
    ['with a message', { message: { campaignId }, was: 'opened', from: 0 }],
    ['with any message', { message: {}, was: 'clicked', within: '7d' }],
    [
      'with all parts of messages',
      {
        message: { channel: 'EMAIL', purpose: 'marketing', tag: 'מבצע' },
        was: 'sent',
        count: { gte: 2, lt: 5 },
        from: 0,
        to: 5,
      },
    ],
  ])('%s', (_what, value) => {
    expect(faultsOf(value)).toEqual([]);
  });

  test('without its version', () => {
    expect(readCondition({ version: 1, ...plan }, context)).toEqual({
      ok: true,
      condition: plan,
      warnings: [],
    });
  });
});

describe('a warning', () => {
  test.each([
    ['of a discarded definition', { event: 'goner' }, ['/event definition_discarded']],
    [
      'of a window beyond the retention',
      { not: event({ within: '61d' }) },
      ['/not/within beyond_retention'],
    ],
    ['of none within it', event({ within: '60d' }), []],
    [
      'of messages beyond their retention',
      { not: { message: {}, was: 'sent', within: '91d' } },
      ['/not/within beyond_retention'],
    ],
    ['of messages of all times', { not: { message: {}, was: 'sent' } }, ['/not beyond_retention']],
    ['of no messages within it', { message: {}, was: 'sent', within: '90d' }, []],
    ['of no messages since an instant', { message: {}, was: 'sent', from: 0 }, []],
    ['of no message of a campaign', { message: { campaignId }, was: 'sent' }, []],
    ['of none of a merged definition', { event: 'seenx' }, []],
  ])('%s', (_what, value, warnings) => {
    const read = readCondition(value, context);

    expect(read.ok && read.warnings.map(({ pointer, code }) => `${pointer} ${code}`)).toEqual(
      warnings,
    );
  });
});
