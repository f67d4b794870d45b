import { describe, expect, test } from '@jest/globals';
import type { Template } from '../../api/types.ts';
import {
  buildContent,
  newVariant,
  slugFault,
  toCheckable,
  toDraft,
  toRenderable,
} from './template-draft.ts';

const message = { title: 'Hello {{ user.firstName }}', body: '<p>Hello</p>' };
const german = {
  name: 'German',
  condition: { field: 'country', is: 'DE' },
  message: { body: '<p>Hallo</p>' },
} as const;
const stored: Template = {
  slug: 'welcome',
  name: 'Welcome',
  channel: 'EMAIL',
  message,
  variants: [german],
  version: 3,
  blocks: [],
  createdAt: 1,
  updatedAt: 2,
  updatedBy: 'member:mia@shop.example',
};

describe('template-draft', () => {
  test('a template is edited and saved as it was', () => {
    expect(buildContent(toDraft(stored))).toEqual({
      channel: 'EMAIL',
      message,
      variants: [german],
    });
  });

  test('fields of another channel are not saved, but come back with their channel', () => {
    const draft = { ...toDraft(stored), channel: 'SMS' as const };

    expect(buildContent(draft).message).toEqual({ body: '<p>Hello</p>' });
    expect(buildContent({ ...draft, channel: 'EMAIL' }).message).toEqual(message);
  });

  test('a variant begins with the message, and has an identity of its own', () => {
    const { fields } = toDraft(stored);
    const [first, second] = [newVariant(fields), newVariant(fields)];

    expect(first.fields).toEqual(fields);
    expect(first.key).not.toBe(second.key);
  });

  const unfinished = { ...german, name: ' ', condition: { all: [] } };
  const withoutText = { ...german, message: { title: '{{ user.city }}', body: ' \n' } };
  test('what is missing has no faults, and the rest is checked', () => {
    const content = { channel: 'EMAIL', message, variants: [unfinished, withoutText] } as const;

    expect(toCheckable(content)).toEqual({
      channel: 'EMAIL',
      message,
      variants: [
        {
          name: 'Variant 1',
          condition: { field: 'registeredAt', after: 0 },
          message: german.message,
        },
        { ...german, message: { title: '{{ user.city }}', body: '–' } },
      ],
    });
    expect(toCheckable({ ...content, message: { title: 'Hello', body: '' } })?.message).toEqual({
      title: 'Hello',
      body: '–',
    });
    expect(toCheckable({ channel: 'EMAIL', message: { body: ' ' }, variants: [] })).toBeNull();
  });

  test('a user gets variants that are finished', () => {
    const variants = [unfinished, german, withoutText];

    expect(toRenderable({ channel: 'EMAIL', message, variants })?.variants).toEqual([german]);
    expect(toRenderable({ channel: 'EMAIL', message: { body: {} }, variants })).not.toBeNull();
    expect(toRenderable({ channel: 'EMAIL', message: { body: ' ' }, variants })).toBeNull();
  });

  test.each([
    ['', undefined],
    ['welcome-2', undefined],
    ['2', undefined],
    ['Welcome', 'Use up to 64'],
    ['-a', 'Use up to 64'],
    ['a'.repeat(65), 'Use up to 64'],
    ['preview', 'This name is reserved.'],
    ['welcome', 'Another template has this name.'],
  ])('the slug "%s" has the fault %s', (slug, fault) => {
    const found = slugFault(slug, ['welcome', 'preview']);

    expect(fault === undefined ? found : found?.slice(0, fault.length)).toBe(fault);
  });
});
