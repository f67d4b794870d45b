import { CHANNELS } from '@tidings/contracts/channels/channels';
import { AppError } from '@tidings/platform';
import { createValidator } from '@tidings/validation';
import type { Request } from 'express';
import type { MessageFilter } from '../messages/message.ts';

const LIMIT_DEFAULT = 50;
const LIMIT_MAX = 500;

type MessageQuery = MessageFilter & { readonly limit?: number };

const parseQuery = createValidator<MessageQuery>({
  type: 'object',
  properties: {
    channel: { enum: CHANNELS },
    to: { type: 'string' },
    campaignId: { type: 'string' },
    limit: { type: 'integer', minimum: 1, maximum: LIMIT_MAX },
  },
});

/**
 * The filter of a query; an empty parameter counts as absent.
 * @throws AppError validation_failed
 */
export function readMessageQuery({ query }: Request): {
  readonly filter: MessageFilter;
  readonly limit: number;
} {
  const given: Record<string, unknown> = Object.fromEntries(
    Object.entries(query).filter(([, value]) => value !== ''),
  );
  const { limit } = given;
  const parsed = parseQuery(
    typeof limit === 'string' && /^-?\d{1,9}$/.test(limit)
      ? { ...given, limit: Number(limit) }
      : given,
  );
  if (!parsed.ok)
    throw new AppError('validation_failed', 'The query is not valid.', { errors: parsed.errors });
  const { channel, to, campaignId } = parsed.value;
  return {
    filter: {
      ...(channel === undefined ? {} : { channel }),
      ...(to === undefined ? {} : { to }),
      ...(campaignId === undefined ? {} : { campaignId }),
    },
    limit: parsed.value.limit ?? LIMIT_DEFAULT,
  };
}
