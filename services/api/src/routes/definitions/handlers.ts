import {
  changeDefinitionEndpoint,
  createDefinitionEndpoint,
  deleteDefinitionEndpoint,
  listDefinitionsEndpoint,
  mergeDefinitionEndpoint,
} from '@tidings/api-spec/endpoints/definitions';
import { LIMITS } from '@tidings/contracts/limits';
import { changeDefinition, mergeDefinition } from '@tidings/events/definitions/change-definitions';
import { createDefinition, listDefinitions } from '@tidings/events/definitions/definitions';
import { deleteDefinition } from '@tidings/events/definitions/delete-definition';
import { NO_USAGE, readDefinitionUsage } from '@tidings/events/definitions/usage';
import { AppError } from '@tidings/platform';
import { getApplicationId } from '../../auth/access.ts';
import type { ApiDependencies } from '../../dependencies.ts';
import { defineRoute, type Route } from '../../http/route.ts';
import { paginate } from '../../http/page.ts';
import { usageRoutes } from './usage-handlers.ts';

const NO_DEFINITION = 'This application has no definition with this slug.';
const NAME_TAKEN = 'A definition of this kind already has this name.';

/** The search timed out on a cold cache; a retry finds it warm. */
const RETRY_AFTER_SECONDS = 5;

const CHANGE_ERRORS = {
  name_taken: NAME_TAKEN,
  name_of_deleted:
    'A deleted definition of this kind has this name. Create it again, or choose another name.',
  merged: 'This definition is merged into another. Change that one.',
  too_many: 'The budget of definitions is full. Discard, merge or delete another one first.',
} as const;

const DELETE_ERRORS = {
  in_use: 'Stored events refer to this definition. Discard it instead.',
  merged: 'This definition is merged with another.',
} as const;

const MERGE_ERRORS = {
  itself: 'A definition cannot be merged into itself.',
  other_kind: 'The two definitions are of different kinds.',
  merged: 'One of the two is already merged into another.',
  into_discarded: 'The other definition is discarded.',
} as const;

/** Event definitions. The first event of a new name also creates one. */
export function definitionRoutes(deps: ApiDependencies): Route[] {
  const { db } = deps;
  return [
    defineRoute(listDefinitionsEndpoint, async ({ res, query }) => {
      const applicationId = getApplicationId(res);
      const page = paginate(query, await listDefinitions(db, applicationId), ({ slug }) => slug);
      const usage = await readDefinitionUsage(db.sql, applicationId);
      return {
        ...page,
        items: page.items.map((definition) => ({
          ...definition,
          ...(usage.get(definition.slug) ?? NO_USAGE),
        })),
      };
    }),
    ...usageRoutes(deps),
    defineRoute(createDefinitionEndpoint, async ({ res, body }) => {
      const definition = await createDefinition(db, {
        applicationId: getApplicationId(res),
        ...body,
      });
      if (definition === 'conflict') throw new AppError('conflict', NAME_TAKEN);
      if (definition === 'too_many')
        throw new AppError(
          'conflict',
          `An application has at most ${LIMITS.definitionsMax} definitions, besides those of Client keys.`,
        );
      return definition;
    }),
    defineRoute(changeDefinitionEndpoint, async ({ res, params, body: { name, discarded } }) => {
      const which = { applicationId: getApplicationId(res), slug: String(params['slug']) };
      const definition = await changeDefinition(db, which, {
        ...(name !== undefined && { name }),
        ...(discarded !== undefined && { discarded }),
      });
      if (definition === null) throw new AppError('not_found', NO_DEFINITION);
      if (typeof definition === 'string') throw new AppError('conflict', CHANGE_ERRORS[definition]);
      return definition;
    }),
    defineRoute(deleteDefinitionEndpoint, async ({ res, params }) => {
      const deleted = await deleteDefinition(db, {
        applicationId: getApplicationId(res),
        slug: String(params['slug']),
      });
      if (deleted === null) throw new AppError('not_found', NO_DEFINITION);
      if (deleted === 'timed_out')
        throw new AppError(
          'unavailable',
          'The search for stored events of this definition took too long. Retry.',
          { retryAfterSeconds: RETRY_AFTER_SECONDS },
        );
      if (deleted !== 'deleted') throw new AppError('conflict', DELETE_ERRORS[deleted]);
    }),
    defineRoute(mergeDefinitionEndpoint, async ({ res, params, body: { into } }) => {
      const merged = await mergeDefinition(db, {
        applicationId: getApplicationId(res),
        slug: String(params['slug']),
        into,
      });
      if (merged === null) throw new AppError('not_found', NO_DEFINITION);
      if (merged === 'into_unknown')
        throw new AppError(
          'not_found',
          'This application has no target definition with this slug.',
        );
      if (typeof merged === 'string') throw new AppError('conflict', MERGE_ERRORS[merged]);
      return merged;
    }),
  ];
}
