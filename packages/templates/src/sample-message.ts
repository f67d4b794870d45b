import type { Channel } from '@tidings/contracts/channels/channels';
import { CHANNEL_DESCRIPTORS } from '@tidings/contracts/channels/descriptors';
import type { TemplatedKind } from '@tidings/contracts/channels/templated-fields';
import { LIMITS } from '@tidings/contracts/limits';
import { PUSH_ITEM_FIELDS } from '@tidings/contracts/push/push';
import { isTemplateText } from '@tidings/liquid/parse-text';

/** Stands for every text with Liquid: valid as a link and as text, and short. */
const SAMPLE = 'https://sample.example/';

/**
 * A message as its schema may check it: what a text with Liquid will be is only known when it is
 * rendered, so another text stands for it.
 */
export function toSample(channel: Channel, message: unknown): unknown {
  if (!isObject(message)) return message;
  const sample: Record<string, unknown> = { ...message };
  for (const [field, kind] of Object.entries(CHANNEL_DESCRIPTORS[channel].templated)) {
    const value = sample[field];
    if (typeof kind === 'string') sample[field] = sampleOf(value);
    else if (isShortList(value))
      sample[field] = value.map((item) =>
        sampleItem(item, PUSH_ITEM_FIELDS[field] ?? NO_FIELDS, kind),
      );
    if (value === undefined) delete sample[field];
  }
  return sample;
}

/** Strings of objects have no rule of their own. */
const sampleOf = (value: unknown): unknown =>
  typeof value === 'string' && isTemplateText(value) ? SAMPLE : value;

/** The schema refuses a longer one without a look at its items, which may be a million. */
const isShortList = (value: unknown): value is readonly unknown[] =>
  Array.isArray(value) && value.length <= LIMITS.messageListItemsMax;

const NO_FIELDS: ReadonlySet<string> = new Set();

/** With the fields that its schema knows: it may have a million others. */
function sampleItem(
  item: unknown,
  fields: ReadonlySet<string>,
  kinds: Readonly<Record<string, TemplatedKind>>,
): unknown {
  if (!isObject(item)) return item;
  return Object.fromEntries(
    [...fields]
      .filter((key) => Object.hasOwn(item, key))
      .map((key) => [key, Object.hasOwn(kinds, key) ? sampleOf(item[key]) : item[key]]),
  );
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
