import {
  deleteBlockEndpoint,
  listBlocksEndpoint,
  listBlockVersionsEndpoint,
  readBlockEndpoint,
  writeBlockEndpoint,
} from '@tidings/api-spec/endpoints/blocks';
import { LIMITS } from '@tidings/contracts/limits';
import { AppError } from '@tidings/platform';
import {
  archiveBlock,
  listBlocks,
  listBlockVersions,
  readBlock,
  writeBlock,
} from '@tidings/templates/blocks';
import type { Response } from 'express';
import { getActor, getApplicationId } from '../../auth/access.ts';
import type { ApiDependencies } from '../../dependencies.ts';
import { isSlugCursor, isVersionCursor, readPage, toBoundedPage } from '../../http/page.ts';
import { defineRoute, type Route } from '../../http/route.ts';

const CONFLICTS = {
  moved: 'The block has another version, or templates that name it have. Read it again.',
  too_many: `An application has at most ${LIMITS.blocksMax} blocks. Delete one first.`,
  too_large: 'The templates that name this block have more than 16 MiB together.',
} as const;

/** Blocks: texts that several templates share, and their versions. */
export function blockRoutes({ db }: Pick<ApiDependencies, 'db'>): Route[] {
  return [
    defineRoute(listBlocksEndpoint, async ({ res, query }) => {
      const { cursor: after = null, limit } = readPage(query, isSlugCursor);
      const listed = await listBlocks(db.sql, getApplicationId(res), { after, limit });
      return toBoundedPage(listed, ({ slug }) => slug);
    }),
    defineRoute(readBlockEndpoint, async ({ res, params }) =>
      found(await readBlock(db.sql, blockOf(res, params))),
    ),
    defineRoute(writeBlockEndpoint, async ({ res, params, body }) => {
      const written = await writeBlock(db, { ...blockOf(res, params), ...body, by: getActor(res) });
      if (typeof written === 'string') throw new AppError('conflict', CONFLICTS[written]);
      if ('block' in written) return written.block;
      const errors = [...written.errors];
      throw new AppError('validation_failed', 'The block is not valid.', { errors });
    }),
    defineRoute(deleteBlockEndpoint, async ({ res, params }) => {
      const outcome = found(await archiveBlock(db, { ...blockOf(res, params), by: getActor(res) }));
      if (outcome !== 'archived')
        throw new AppError(
          'conflict',
          `Templates name it: ${outcome.join(', ')}. Change these first.`,
        );
    }),
    defineRoute(listBlockVersionsEndpoint, async ({ res, params, query }) => {
      const { cursor, limit } = readPage(query, isVersionCursor);
      const list = (after: number | null) =>
        listBlockVersions(db.sql, blockOf(res, params), { after, limit });
      const listed = await list(cursor === undefined ? null : Number(cursor));
      if (listed.items.length === 0 && (await list(null)).items.length === 0) found(null);
      return toBoundedPage(listed, ({ version }) => String(version));
    }),
  ];
}

const blockOf = (res: Response, params: Readonly<Record<string, string>>) => ({
  applicationId: getApplicationId(res),
  slug: String(params['slug']),
});

/** @throws AppError `not_found` */
function found<T>(block: T | null): T {
  if (block !== null) return block;
  throw new AppError('not_found', 'This application has no block with this slug.');
}
