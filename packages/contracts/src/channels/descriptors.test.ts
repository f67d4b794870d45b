import { describe, expect, test } from '@jest/globals';
import { ADDRESS_OF } from './addresses.ts';
import { CHANNEL_DESCRIPTORS, CHANNELS, mapChannels } from './descriptors.ts';

describe('the descriptors', () => {
  test('a map of them has every channel in the order of the list', () => {
    expect(Object.entries(mapChannels((_, channel) => channel))).toEqual(
      CHANNELS.map((channel) => [channel, channel]),
    );
  });

  test('no two channels share a slug or a name', () => {
    const descriptors = Object.values(CHANNEL_DESCRIPTORS);

    expect(new Set(descriptors.map(({ slug }) => slug)).size).toBe(CHANNELS.length);
    expect(new Set(descriptors.map(({ labels }) => labels.name)).size).toBe(CHANNELS.length);
  });

  test.each([
    ['phone', '+15005550006'],
    ['mailbox', 'me@example.com'],
  ])('where the address is a %s, the fields of a test send lead to it', (kind, to) => {
    const channels = CHANNELS.filter((name) => CHANNEL_DESCRIPTORS[name].address.kind === kind);

    expect(channels).not.toEqual([]);
    for (const channel of channels) {
      const { testAddressFields } = CHANNEL_DESCRIPTORS[channel];
      const profile = Object.fromEntries(testAddressFields.map((field) => [field, to]));

      expect(ADDRESS_OF[channel](profile)).toEqual({ address: to });
    }
  });

  test.each(CHANNELS)(
    '%s is data alone, and its message requires a body it describes',
    (channel) => {
      const { message } = CHANNEL_DESCRIPTORS[channel];

      expect(structuredClone(CHANNEL_DESCRIPTORS[channel])).toEqual(CHANNEL_DESCRIPTORS[channel]);
      expect(message.required).toEqual(['body']);
      expect(Object.keys(message.properties)).toContain('body');
    },
  );
});
