import {
  discardDeadLetterEndpoint,
  listDeadLettersEndpoint,
  readDeadLetterEndpoint,
  replayDeadLetterEndpoint,
} from '@tidings/api-spec/endpoints/dead-letters';
import { BusRejectedError, BusUnavailableError } from '@tidings/bus';
import { replayHeaders } from '@tidings/contracts/ingest/dead-letters';
import {
  requestReplay,
  discardDeadLetter,
  listDeadLetters,
  readDeadLetter,
  cancelReplay,
  type DeadLetterViewer,
  type DeadLetterReplay,
} from '@tidings/events/dead-letter-admin';
import { AppError, isUuid } from '@tidings/platform';
import type { Response } from 'express';
import { getApplicationId, isInstallationAdministrator } from '../../auth/access.ts';
import type { ApiDependencies } from '../../dependencies.ts';
import { defineRoute, type Route } from '../../http/route.ts';
import { readPage, toPage } from '../../http/page.ts';

const NO_DEAD_LETTER = 'There is no dead letter with this id.';
const RETRY_AFTER_SECONDS = 2;

/** Dead letters: list, read, replay, discard. */
export function deadLetterRoutes({
  db,
  producer,
}: Pick<ApiDependencies, 'db' | 'producer'>): Route[] {
  /**
   * Call it after the dead letter was marked: the consumer ignores replays that were not requested.
   */
  const putOnTopic = async ({
    deadLetter,
    key,
    value,
    headers,
  }: DeadLetterReplay): Promise<void> => {
    try {
      await producer.produce(deadLetter.topic, [
        { key, value, headers: { ...headers, ...replayHeaders(deadLetter) } },
      ]);
    } catch (error) {
      if (error instanceof BusRejectedError) {
        await cancelReplay(db, deadLetter.id);
        throw new AppError(
          'conflict',
          'Kafka rejects this record, for example because it is larger than the topic allows.',
          {
            cause: error,
          },
        );
      }
      if (!(error instanceof BusUnavailableError)) throw error;
      throw new AppError('unavailable', 'Kafka is unavailable. Retry.', {
        cause: error,
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    }
  };

  return [
    defineRoute(listDeadLettersEndpoint, async ({ res, query }) => {
      const { limit, ...page } = readPage(query, isUuid);
      const letters = await listDeadLetters(db, getReader(res), {
        ...page,
        limit: limit + 1,
        ...(query.status && { status: query.status }),
      });
      return toPage(letters, limit, ({ id }) => id);
    }),
    defineRoute(readDeadLetterEndpoint, async ({ res, params }) => {
      const deadLetter = await readDeadLetter(db, getReader(res), String(params['deadLetterId']));
      if (deadLetter === null) throw new AppError('not_found', NO_DEAD_LETTER);
      return deadLetter;
    }),
    defineRoute(replayDeadLetterEndpoint, async ({ res, params }) => {
      const asked = await requestReplay(db, getReader(res), String(params['deadLetterId']));
      if (asked === null) throw new AppError('not_found', NO_DEAD_LETTER);
      if (asked === 'conflict')
        throw new AppError('conflict', 'The dead letter was already replayed or discarded.');
      await putOnTopic(asked);
      return asked.deadLetter;
    }),
    defineRoute(discardDeadLetterEndpoint, async ({ res, params }) => {
      const deadLetter = await discardDeadLetter(
        db,
        getReader(res),
        String(params['deadLetterId']),
      );
      if (deadLetter === null) throw new AppError('not_found', NO_DEAD_LETTER);
      if (deadLetter === 'conflict')
        throw new AppError(
          'conflict',
          'The dead letter is being replayed, or was already replayed or discarded.',
        );
      return deadLetter;
    }),
  ];
}

const getReader = (res: Response): DeadLetterViewer => ({
  applicationId: getApplicationId(res),
  includesUnassigned: isInstallationAdministrator(res),
});
