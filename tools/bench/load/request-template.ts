import type { PushContent, Target } from './plan.ts';
import { scatter, scatteredText } from './scattered-id.ts';

/** A complete HTTP request of fixed length; only ids, time and user are overwritten per request. */
export type RequestTemplate = {
  /** A copy to stamp and send; one per connection. */
  copy(): Buffer;
  /** Writes the ids of this request number. */
  stamp(request: Buffer, sequence: number): void;
};

/** Placeholders for request number, scattered number, user and time, as wide as their values. */
export const MARKS = {
  sequence: 'SSSSSSSSSSSS',
  scattered: 'RRRRRRRRRRRR',
  user: 'UUUUUUUU',
  time: '1111111111111',
} as const;

const DIGIT_ZERO = 48;

export function createRequestTemplate(
  target: Target,
  content: 'events' | 'registration' | PushContent,
): RequestTemplate {
  const isPush = typeof content === 'object';
  const body = JSON.stringify(
    isPush
      ? content.push
      : { customUserId: `user-${MARKS.user}`, messages: buildMessages(target, content) },
  );
  const lines = [
    `POST ${isPush ? '/push' : '/'} HTTP/1.1`,
    `Host: ${target.host}:${target.port}`,
    ...Object.entries(target.headers).map(([name, value]) => `${name}: ${value}`),
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  const bytes = Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`);
  const sequenceOffsets = findOffsets(bytes, MARKS.sequence);
  const scatteredOffsets = findOffsets(bytes, MARKS.scattered);
  const userOffsets = findOffsets(bytes, MARKS.user);
  const timeOffsets = findOffsets(bytes, MARKS.time);
  return {
    copy: () => Buffer.from(bytes),
    stamp(request, sequence) {
      const now = Date.now();
      for (const offset of sequenceOffsets)
        writeDigits(request, { offset, width: MARKS.sequence.length, value: sequence });
      for (const offset of scatteredOffsets)
        writeDigits(request, { offset, width: MARKS.scattered.length, value: scatter(sequence) });
      for (const offset of userOffsets)
        writeDigits(request, { offset, width: MARKS.user.length, value: sequence % target.users });
      for (const offset of timeOffsets)
        writeDigits(request, { offset, width: MARKS.time.length, value: now });
    },
  };
}

function buildMessages(
  { messagesPerRequest, idPrefix, hasScatteredIds = false }: Target,
  content: 'events' | 'registration',
): object[] {
  const common = (index: number) => ({
    id: hasScatteredIds
      ? scatteredText(idPrefix, { scattered: MARKS.scattered, index })
      : `${idPrefix}-${MARKS.sequence}-${String(index).padStart(4, '0')}`,
    time: Number(MARKS.time),
  });
  if (content === 'registration') {
    return [
      {
        type: 'user',
        ...common(0),
        email: `user-${MARKS.user}@people.example`,
        phoneNumber: `+49151${MARKS.user}`,
        firstName: 'Ada',
        customAttributes: { visits: Number(MARKS.time) },
      },
    ];
  }
  // Typical of a shop's back end: actions with a few attributes of every type.
  return Array.from({ length: messagesPerRequest }, (_, index) => ({
    type: 'action',
    ...common(index),
    customName: 'product_viewed',
    attributes: {
      sku: `SKU-${index}`,
      price: 19.99,
      quantity: 2,
      inStock: true,
      category: { id: 7, path: ['home', 'kitchen', 'knives'] },
      seenAt: '2026-01-15T09:30:00.000Z',
    },
  }));
}

function findOffsets(bytes: Buffer, mark: string): number[] {
  const offsets: number[] = [];
  for (let at = bytes.indexOf(mark); at >= 0; at = bytes.indexOf(mark, at + mark.length))
    offsets.push(at);
  return offsets;
}

function writeDigits(
  bytes: Buffer,
  {
    offset,
    width,
    value,
  }: { readonly offset: number; readonly width: number; readonly value: number },
): void {
  let rest = value;
  for (let at = offset + width - 1; at >= offset; at -= 1) {
    bytes[at] = DIGIT_ZERO + (rest % 10);
    rest = Math.floor(rest / 10);
  }
}
