import {
  deleteSegmentEndpoint,
  listSegmentVersionsEndpoint,
  listSegmentsEndpoint,
  readSegmentEndpoint,
  readSegmentUsesEndpoint,
  writeSegmentEndpoint,
} from '@tidings/api-spec/endpoints/segments';
import { USING_CAMPAIGNS_MAX } from '@tidings/api-spec/uses';
import { relisten } from '@tidings/automations/relisten';
import { LIMITS } from '@tidings/contracts/limits';
import { AppError } from '@tidings/platform';
import {
  archiveSegment,
  listSegmentVersions,
  listSegmentsWithUses,
  readSegment,
  readSegmentUses,
  writeSegment,
} from '@tidings/segments/segments';
import { getActor, getApplicationId } from '../../auth/access.ts';
import type { ApiDependencies } from '../../dependencies.ts';
import { describeUses } from '../../http/describe-uses.ts';
import { isVersionCursor, paginateBySlug, readPage, toPage } from '../../http/page.ts';
import { readExactJson } from '../../http/read-json.ts';
import { defineRoute, type Route } from '../../http/route.ts';
import { found, segmentOf } from './found-segment.ts';
import { questionRoutes } from './question-handlers.ts';

/** Segments: named conditions over users, their versions, and questions about conditions. */
export function segmentRoutes(deps: ApiDependencies): Route[] {
  const { db, deliveryRetentionDays } = deps;
  const routes = [
    // Before the routes of a slug: these names are no slugs.
    ...questionRoutes(deps),
    defineRoute(listSegmentsEndpoint, async ({ res, query }) =>
      paginateBySlug(query, await listSegmentsWithUses(db.sql, getApplicationId(res))),
    ),
    defineRoute(readSegmentEndpoint, async ({ res, params }) =>
      found(await readSegment(db.sql, segmentOf(res, params))),
    ),
    defineRoute(writeSegmentEndpoint, async ({ res, params, body }) => {
      const { name, condition, expectedVersion } = body;
      const written = await writeSegment(db, {
        ...segmentOf(res, params),
        name,
        condition,
        deliveryRetentionDays,
        ...(expectedVersion !== undefined && { expectedVersion }),
        by: getActor(res),
      });
      if (written === 'moved')
        throw new AppError('conflict', 'The segment has another version. Read it again.');
      if (written === 'too_many')
        throw new AppError(
          'conflict',
          `An application has at most ${LIMITS.segmentsMax} segments. Delete one first.`,
        );
      if ('errors' in written)
        throw new AppError('validation_failed', 'The condition is not valid.', {
          errors: [...written.errors],
        });
      // What automations wait for may ask something else now.
      await db.transaction((sql) => relisten(sql, getApplicationId(res)));
      return { ...written.segment, warnings: written.warnings };
    }),
    defineRoute(deleteSegmentEndpoint, async ({ res, params }) => {
      const outcome = found(
        await archiveSegment(db, { ...segmentOf(res, params), by: getActor(res) }),
      );
      if (outcome !== 'archived')
        throw new AppError('conflict', describeUses(outcome, 'Other segments'));
    }),
    defineRoute(readSegmentUsesEndpoint, async ({ res, params }) => {
      const { campaignIds, ...uses } = found(await readSegmentUses(db.sql, segmentOf(res, params)));
      return { ...uses, campaigns: campaignIds.slice(0, USING_CAMPAIGNS_MAX) };
    }),
    defineRoute(listSegmentVersionsEndpoint, async ({ res, params, query }) => {
      const { cursor, limit } = readPage(query, isVersionCursor);
      const list = (before: number | null) =>
        listSegmentVersions(db.sql, segmentOf(res, params), { before, limit: limit + 1 });
      const versions = await list(cursor === undefined ? null : Number(cursor));
      if (versions.length === 0 && (await list(null)).length === 0) found(null);
      return toPage(versions, limit, ({ version }) => String(version));
    }),
  ];
  return routes.map((route) => ({ ...route, readBody: readExactJson }));
}
