import { describe, expect, it } from '@jest/globals';
import { LIMITS } from '@tidings/contracts/limits';
import { toSample } from './sample-message.ts';

const IMAGE = { url: '{{ user.image }}' };
const SAMPLED = { url: 'https://sample.example/' };

describe('toSample', () => {
  it('puts a link in the place of what a list of the permitted length has', () => {
    const images = Array.from({ length: LIMITS.messageListItemsMax }, () => IMAGE);
    expect(toSample('WEB_PUSH', { body: 'x', images })).toEqual({
      body: 'x',
      images: images.map(() => SAMPLED),
    });
  });

  it('copies no item of a longer list, which the schema refuses by its length', () => {
    const images = Array.from({ length: LIMITS.messageListItemsMax + 1 }, () => IMAGE);
    const sample = toSample('WEB_PUSH', { body: 'x', images });
    expect((sample as { readonly images: unknown }).images).toBe(images);
  });

  it('copies only the fields of an item that its schema knows', () => {
    const others = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`other-${n}`, n]));
    const sample = toSample('WEB_PUSH', { body: 'x', images: [{ ...others, ...IMAGE }] });
    expect(sample).toEqual({ body: 'x', images: [SAMPLED] });
  });
});
