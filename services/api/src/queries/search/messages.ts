import { statementsIn } from '@tidings/postgres/statements';
import { findMessages } from '../ingest-log/find-message.ts';
import { readPastedMessageId } from './pasted-id.ts';
import type { Search } from './question.ts';

const statement = statementsIn(import.meta.dirname);

/** Ingested messages with this id, newest first, with the name of their event. */
export const searchMessages: Search = ({ applicationId, text, limit }) => {
  const messageId = readPastedMessageId(text);
  if (messageId === null) return null;
  return async (sql) => {
    const { items: messages } = await findMessages({ sql }, { applicationId, messageId, limit });
    if (messages.length === 0) return { items: [] };
    const { rows } = await sql.query<{
      request_id: string;
      message_index: number;
      name: string;
      custom_user_id: string | null;
    }>(statement('read-found-messages'), [
      applicationId,
      messages.map(({ requestId }) => requestId),
      messages.map(({ index }) => index),
    ]);
    return {
      items: messages.map(({ id, requestId, index, type, outcome, receivedAt }) => {
        const event = rows.find(
          (row) => row.request_id === requestId && row.message_index === index,
        );
        return {
          kind: 'message',
          id,
          title: event?.name ?? type,
          detail: event?.custom_user_id ?? null,
          requestId,
          index,
          type,
          outcome,
          receivedAt,
        };
      }),
    };
  };
};
