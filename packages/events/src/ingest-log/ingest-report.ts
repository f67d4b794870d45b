import type { MessageOutcome, MessageType, ReceiptReason } from '@tidings/contracts/ingest/ingest';
import type { Database } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/** The response of `GET /api/v1/ingest/{requestId}`. */
export type IngestReport = {
  readonly requestId: string;
  readonly receivedAt: number;
  readonly complete: boolean;
  readonly messages: readonly {
    readonly index: number;
    readonly id: string;
    readonly type: MessageType;
    readonly outcome: MessageOutcome;
    readonly reason?: ReceiptReason;
  }[];
};

/** The outcomes of a request's messages; null when no consumer has applied the request yet. */
export async function readIngestReport(
  db: Database,
  applicationId: string,
  requestId: string,
): Promise<IngestReport | null> {
  const request = await (
    await db.prisma()
  ).ingestRequest.findFirst({ where: { requestId, applicationId } });
  if (request === null) return null;
  const { rows } = await db.sql.query<{
    message_index: number;
    message_id: string;
    type: MessageType;
    outcome: MessageOutcome;
    reason: ReceiptReason | null;
  }>(
    // With the arrival time, Postgres reads one partition instead of all.
    statement('read-ingest-report'),
    [requestId, request.receivedAt],
  );
  const messages = rows.map((row) => ({
    index: row.message_index,
    id: row.message_id,
    type: row.type,
    outcome: row.outcome,
    ...(row.reason === null || row.outcome === 'pending' ? {} : { reason: row.reason }),
  }));
  return {
    requestId,
    receivedAt: request.receivedAt.getTime(),
    complete:
      messages.length === request.messageCount &&
      messages.every((message) => message.outcome !== 'pending'),
    messages,
  };
}
