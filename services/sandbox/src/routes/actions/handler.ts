import { mountRoute } from '@tidings/http/app';
import { AppError } from '@tidings/platform';
import { createValidator } from '@tidings/validation';
import express, { type Express, type RequestHandler } from 'express';
import { Type } from 'typebox';
import { USER_ACTIONS, performAction, type ActionName } from '../../devices/simulated-user.ts';
import type { StoredMessage } from '../../messages/message.ts';
import type { MessageStore } from '../../messages/message-store.ts';
import type { ShopConnection } from '../shop/connection.ts';

const BODY_BYTES_MAX = 16 * 1024;
/** Candidates per recipient and campaign; an address has several only after a resend. */
const CANDIDATES_MAX = 100;
const CHOICE_MAX = 1_000;

type ActionRequest = {
  readonly campaignId: string;
  readonly deliveryId: string;
  readonly to: string;
  readonly action: ActionName;
  readonly choice?: number;
};

const parseAction = createValidator<ActionRequest>(
  Type.Object({
    campaignId: Type.String({ minLength: 1, maxLength: 64 }),
    deliveryId: Type.String({ minLength: 1, maxLength: 64 }),
    /** Same as `to` of the message. */
    to: Type.String({ minLength: 1, maxLength: 4_096 }),
    action: Type.Unsafe<ActionName>({ enum: USER_ACTIONS }),
    choice: Type.Optional(Type.Integer({ minimum: 0, maximum: CHOICE_MAX })),
  }),
);

/**
 * `POST /api/actions`: a simulated user opens, clicks or dismisses a message, and the service gets
 * the same requests as from a real user.
 */
export function mountActions(
  app: Express,
  {
    store,
    connectedShop,
  }: { readonly store: MessageStore; readonly connectedShop: () => ShopConnection },
): void {
  const handle: RequestHandler = async (req, res) => {
    if (req.is('application/json') === false)
      throw new AppError('unsupported_media_type', 'Send application/json.');
    const parsed = parseAction(req.body);
    if (!parsed.ok)
      throw new AppError('validation_failed', 'The action is not valid.', {
        errors: parsed.errors,
      });
    const { action, choice, ...which } = parsed.value;
    const message = await findMessage(store, which);
    if (message === undefined)
      throw new AppError('not_found', 'The sandbox has received no such message.');
    res.json(
      await performAction(
        message,
        { action, ...(choice !== undefined && { choice }) },
        connectedShop(),
      ),
    );
  };
  mountRoute(app, '/api/actions', {
    POST: [express.json({ limit: BODY_BYTES_MAX, strict: false }), handle],
  });
}

async function findMessage(
  store: MessageStore,
  { campaignId, deliveryId, to }: Pick<ActionRequest, 'campaignId' | 'deliveryId' | 'to'>,
): Promise<StoredMessage | undefined> {
  const { messages } = await store.list({ campaignId, to }, CANDIDATES_MAX);
  return messages
    .map((line) => JSON.parse(line.toString('utf8')) as StoredMessage)
    .find((message) => message.deliveryId === deliveryId);
}
