import { field, textField } from '../../shared/json.ts';

const ALIGNMENTS = ['TOP', 'CENTER', 'BOTTOM'] as const;
export type Alignment = (typeof ALIGNMENTS)[number];

/** A message to show. */
export type InboxMessage = {
  readonly deliveryId: string;
  readonly title?: string | undefined;
  readonly body: string;
  readonly alignment: Alignment;
  /** Absent: no auto-close. */
  readonly durationMs?: number | undefined;
};

/** Parses a message; undefined if it cannot be shown. */
export function parseMessage(value: unknown): InboxMessage | undefined {
  const deliveryId = textField(value, 'deliveryId');
  const message = field(value, 'message') ?? value;
  const body = textField(message, 'body');
  if (deliveryId === undefined || body === undefined) return undefined;
  const duration = field(message, 'duration');
  return {
    deliveryId,
    title: textField(message, 'title'),
    body,
    alignment:
      ALIGNMENTS.find((alignment) => alignment === field(message, 'alignment')) ?? 'BOTTOM',
    durationMs: typeof duration === 'number' && duration > 0 ? duration : undefined,
  };
}
