import { CHANNELS } from '@tidings/contracts/channels/channels';
import type { Condition } from '@tidings/contracts/segments/conditions';
import type {
  ListedSegment,
  Suggestions,
  SegmentCount,
  SegmentExplanation,
  Person,
  SegmentPreview,
  SegmentVersion,
} from '@tidings/web/src/api/types.ts';
import type { Answers } from '../answer-calls.ts';
import { AT, LONG, many, list, one } from './values.ts';

const { slug, segmentSlug, customUserId, messageId, email, words } = LONG;
export const condition: Condition = {
  all: [
    { attribute: many('an_attribute_', 64), is: words },
    { not: { field: 'email', contains: email } },
    { attribute: 'plan', in: [words, words, 'gold'] },
    {
      event: slug,
      count: { gte: 1_000_000 },
      within: '3650d',
      where: [{ attribute: many('a_name_without_end_', 64), startsWith: words }],
      notFollowedBy: { event: slug, in: '1h' },
    },
    { any: [{ segment: 'base' }, { reachable: 'EMAIL', purpose: 'marketing' }] },
    { field: 'registeredAt', before: AT, after: { ago: '3650d' } },
  ],
};
const segmentVersion: SegmentVersion = {
  version: 12_345,
  name: words,
  condition,
  createdAt: AT,
  createdBy: `member:${email}`,
};
const { createdBy: _createdBy, ...shared } = segmentVersion;
const reachable = Object.fromEntries(
  CHANNELS.map((each) => [each, 1_234_567]),
) as SegmentCount['reachable'];
const segments: readonly ListedSegment[] = [
  {
    ...shared,
    slug: segmentSlug,
    updatedAt: AT,
    updatedBy: `member:${email}`,
    usedBy: ['base'],
    lastCount: { count: 1_234_567, reachable, asOf: AT },
    campaigns: 1_000,
    templates: 200,
  },
  {
    ...shared,
    slug: 'base',
    name: 'Base',
    condition: { field: 'country', is: 'DE' },
    updatedAt: AT,
    updatedBy: `member:${email}`,
    usedBy: [segmentSlug],
    lastCount: null,
    campaigns: 0,
    templates: 0,
  },
];
const segmentPreview: SegmentPreview = {
  estimate: { count: 1_234_567, low: 1_200_000, high: 1_300_000, isExact: false },
  sample: Array.from({ length: 20 }, (_, index) => (index === 0 ? customUserId : `user-${index}`)),
  parts: [0, 1, 2, 3, 4, 5].map((at) => ({
    pointer: `/condition/all/${at}`,
    count: 1_234_567,
  })),
  stillOpen: [{ pointer: '/condition/all/3/notFollowedBy', count: 1_234_567 }],
  warnings: [
    {
      code: 'beyond_retention',
      pointer: '/condition/all/3/within',
      detail: 'The application keeps events for 30 days.',
    },
  ],
  asOf: AT,
  tookMs: 123,
};
const segmentCount: SegmentCount = {
  count: 1_234_567,
  reachable,
  asOf: AT,
  tookMs: 12_345,
};
const explanation: SegmentExplanation = {
  isMember: false,
  asOf: AT,
  tree: [
    { pointer: '', key: 'all', result: false },
    {
      pointer: '/all/0',
      key: 'attribute',
      result: false,
      evidence: { value: words, type: 'string' },
    },
    { pointer: '/all/1', key: 'not', result: true },
    { pointer: '/all/1/not', key: 'field', result: false, evidence: { value: email } },
    { pointer: '/all/2', key: 'attribute', result: false },
    {
      pointer: '/all/3',
      key: 'event',
      result: true,
      evidence: { count: 1_234_567, first: AT, last: AT, eventIds: [messageId] },
    },
    { pointer: '/all/4', key: 'any', result: false },
    {
      pointer: '/all/4/any/0',
      key: 'segment',
      result: false,
      tree: [{ pointer: '', key: 'field', result: false, evidence: { value: 'FR' } }],
    },
    {
      pointer: '/all/4/any/1',
      key: 'reachable',
      result: false,
      evidence: { reason: 'channel_not_configured' },
    },
    { pointer: '/all/5', key: 'field', result: true, evidence: { value: AT, type: 'number' } },
  ],
};

const people: readonly Person[] = [
  { customUserId, firstName: words, lastName: words, email, phoneNumber: '+4915112345678901' },
  { customUserId: 'ada', firstName: null, lastName: null, email: null, phoneNumber: null },
];

const values = [words, many('a_value_', 64)].map((value) => ({ value, count: 1_234 }));
const suggestions: Suggestions = {
  asked: 2_000,
  fields: [{ field: 'country', type: 'string', count: 1_999, values }],
  attributes: [
    { attribute: many('an_attribute_', 64), type: 'string', count: 1_999, values },
    { attribute: [words, words], type: 'boolean', count: 1, values: [] },
  ],
};

export const SEGMENT_ANSWERS: Answers = {
  'GET suggestions': one(suggestions),
  [`GET segments/${segmentSlug}/count`]: one(segmentCount),
  'GET segments/base/count': one(segmentCount),
  'GET segments': list(...segments),
  [`GET segments/${segmentSlug}`]: one(segments[0]),
  [`GET segments/${segmentSlug}/users`]: list<Person>(...people),
  'POST segments/users': list<Person>(...people),
  [`GET segments/${segmentSlug}/versions`]: list(segmentVersion),
  [`GET users/${customUserId}/segments`]: list(
    ...segments.map(({ slug: each, name }) => ({ slug: each, name, isMember: each === 'base' })),
  ),
  'POST segments/preview': one(segmentPreview),
  'POST segments/count': one(segmentCount),
  'POST segments/explain': one(explanation),
};
