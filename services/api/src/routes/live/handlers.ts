import { liveEndpoint, TOPICS_MAX } from '@tidings/api-spec/endpoints/live';
import { AppError, isUuid } from '@tidings/platform';
import { getActor, getApplicationId } from '../../auth/access.ts';
import type { ApiDependencies } from '../../dependencies.ts';
import { createEventStream } from '../../live/event-stream.ts';
import { createTopic, type TopicSources } from '../../live/topics.ts';
import { defineRoute, type Route } from '../../http/route.ts';

const RETRY_AFTER_SECONDS = 10;

/** Live data of an application, for several topics per stream. */
export function liveRoutes(deps: ApiDependencies & TopicSources): Route[] {
  return [
    defineRoute(liveEndpoint, async ({ res, query }) => {
      const [applicationId, actor] = [getApplicationId(res), getActor(res)];
      const names = [...new Set(query.topics.split(',').map((name) => name.trim().toLowerCase()))];
      const topics = names.map((name) => createTopic(deps, applicationId, name));
      const known = topics.filter((topic) => topic !== null);
      if (known.length < names.length || names.length > TOPICS_MAX) throw noTopic();
      // As for `GET overview`, Server keys may not read the overview.
      if (names.includes('overview') && actor.startsWith('key:'))
        throw new AppError(
          'forbidden',
          'The topic overview requires a session or an administrator token.',
        );
      await findCampaigns(deps, applicationId, names);
      // The caller may have disconnected during the lookup.
      if (res.closed) return;

      const stream = createEventStream(res, deps.clock, () => place?.leave());
      const place = deps.live.watch(
        { applicationId, actor, send: stream.send, tick: stream.tick, end: stream.end },
        known,
      );
      if (place === null)
        throw new AppError(
          'rate_limited',
          'Too many streams are open, or too many topics are watched. Close some, or poll the corresponding GET endpoints.',
          { retryAfterSeconds: RETRY_AFTER_SECONDS },
        );
      res.on('close', () => place.leave());
      stream.begin();
    }),
  ];
}

async function findCampaigns(
  { reports }: TopicSources,
  applicationId: string,
  names: readonly string[],
): Promise<void> {
  const ids = names.flatMap((name) =>
    name.startsWith('campaign:') ? [name.slice('campaign:'.length)] : [],
  );
  if (!ids.every(isUuid)) throw noTopic();
  const campaigns = await Promise.all(ids.map((id) => reports.readProgress(applicationId, id)));
  if (campaigns.includes(null))
    throw new AppError('not_found', 'This application has no campaign with this id.');
}

function noTopic(): AppError {
  return new AppError('validation_failed', 'The query is not valid.', {
    errors: [
      {
        pointer: '/topics',
        code: 'invalid_value',
        expected: `up to ${TOPICS_MAX} of overview, ingest and campaign:<id>, separated by commas`,
      },
    ],
  });
}
