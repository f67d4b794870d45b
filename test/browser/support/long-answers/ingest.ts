import { ERROR_CODES } from '@tidings/contracts/errors/error-codes';
import { MESSAGE_OUTCOMES, RECEIPT_REASONS } from '@tidings/contracts/ingest/ingest';
import type { IngestEntry, IngestReport, MessageDetail } from '@tidings/web/src/api/types.ts';
import type { Answers } from '../answer-calls.ts';
import { AT, many, uuid, ATTRIBUTES, list, one, LONG } from './values.ts';

const { id, slug, customUserId, messageId } = LONG;
const messages = RECEIPT_REASONS.map((reason, index): IngestReport['messages'][number] => ({
  index,
  id: index % 2 === 0 ? messageId : 'm',
  type: 'businessEvent',
  outcome: MESSAGE_OUTCOMES[index % MESSAGE_OUTCOMES.length] ?? 'pending',
  reason,
}));
const errors = [
  {
    pointer: `/messages/0/attributes/${many('a_name_that_goes_on_', 64)}`,
    code: 'wrong_type',
    expected: 'integer',
    index: 0,
    messageId,
  },
] as const;
const CODES = Object.keys(ERROR_CODES) as (keyof typeof ERROR_CODES)[];
/** More rows than a table renders at once. */
const refusals = Array.from({ length: 100 }, (_, index): IngestEntry => ({
  requestId: uuid(0xf_000 + index),
  receivedAt: AT,
  outcome: 'rejected',
  status: 400,
  code: CODES[index % CODES.length] ?? 'internal',
  path: '/',
  errors,
  unlisted: 1_234_567,
  customUserId,
  address: '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff',
}));
const accepted = messages.map((message): IngestEntry => ({
  ...message,
  requestId: id,
  receivedAt: AT,
}));
const message: MessageDetail = {
  requestId: id,
  receivedAt: AT,
  index: 0,
  id: messageId,
  type: 'action',
  outcome: 'duplicate',
  reason: 'duplicate_id',
  customUserId,
  stored: { type: 'action', id: messageId, time: AT, name: slug, attributes: ATTRIBUTES },
  duplicateOf: { requestId: id, index: 0 },
};

export const INGEST_ANSWERS: Answers = {
  'GET ingest': list(...refusals, ...accepted),
  [`GET ingest/${id}`]: one<IngestReport>({
    requestId: id,
    receivedAt: AT,
    complete: true,
    messages,
  }),
  [`GET ingest/${id}/messages/0`]: one(message),
};
