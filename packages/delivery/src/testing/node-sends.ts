import { randomUUID } from 'node:crypto';
import type { AppendedRecipient, NodeSend } from '../append-recipients.ts';

/** A send of a node of an automation of its own, with a message of the node. */
export function nodeSend(overrides: Partial<NodeSend> & Pick<NodeSend, 'applicationId'>): NodeSend {
  return {
    automationId: randomUUID(),
    automationSlug: 'cart',
    version: 1,
    node: 'mail1',
    messageNo: 0,
    channel: 'EMAIL',
    purpose: 'transactional',
    templates: [
      {
        slug: null,
        version: null,
        share: 1,
        message: { title: 'Hello', body: 'Text' },
        variants: [],
      },
    ],
    templateVersion: 0,
    expiresInMs: 72 * 3_600_000,
    heard: [],
    createdBy: 'automation',
    shard: 0,
    recipients: [],
    ...overrides,
  };
}

/** A run of its own for each. */
export function recipientsOf(
  customUserIds: readonly string[],
  { event = null }: Pick<Partial<AppendedRecipient>, 'event'> = {},
): AppendedRecipient[] {
  return customUserIds.map((customUserId) => ({
    customUserId,
    runId: randomUUID(),
    enteredAt: Date.now(),
    event,
  }));
}
