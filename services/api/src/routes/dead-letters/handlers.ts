import {
  discardDeadLetterEndpoint,
  listDeadLettersEndpoint,
  readDeadLetterEndpoint,
  replayDeadLetterEndpoint,
} from '@tidings/api-spec/endpoints/dead-letters';
import { BusRejectedError, BusUnavailableError } from '@tidings/bus';
import { replayHeaders } from '@tidings/contracts';
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

/** Dead letters: inspected, given to their consumers again, or given up. */
export function deadLetterRoutes({
  db,
  producer,
}: Pick<ApiDependencies, 'db' | 'producer'>): Route[] {
  /** After the letter was marked: the consumer takes nothing that nobody has asked for. */
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
        throw new AppError('conflict', 'The topic does not take this record any more.', {
          cause: error,
        });
      }
      if (!(error instanceof BusUnavailableError)) throw error;
      throw new AppError('unavailable', 'Kafka cannot be reached right now. Ask again.', {
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
        throw new AppError('conflict', 'It was replayed or discarded already.');
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
          'It is being replayed, or was replayed or discarded already.',
        );
      return deadLetter;
    }),
  ];
}

const getReader = (res: Response): DeadLetterViewer => ({
  applicationId: getApplicationId(res),
  includesUnassigned: isInstallationAdministrator(res),
});
