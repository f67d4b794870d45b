import {
  deleteTemplateEndpoint,
  listTemplatesEndpoint,
  listTemplateVersionsEndpoint,
  previewStoredTemplateEndpoint,
  previewTemplateEndpoint,
  readTemplateEndpoint,
  writeTemplateEndpoint,
} from '@tidings/api-spec/endpoints/templates';
import { LIMITS } from '@tidings/contracts/limits';
import { AppError } from '@tidings/platform';
import {
  archiveTemplate,
  listTemplates,
  listTemplateVersions,
  readTemplate,
  readTemplateVersions,
  writeTemplate,
  type WrittenTemplate,
} from '@tidings/templates/templates';
import type { Response } from 'express';
import { getActor, getApplicationId } from '../../auth/access.ts';
import type { ApiDependencies } from '../../dependencies.ts';
import { isSlugCursor, isVersionCursor, readPage, toBoundedPage } from '../../http/page.ts';
import { readExactJson } from '../../http/read-json.ts';
import { defineRoute, type Route } from '../../http/route.ts';
import { countQuestion } from '../../http/user-questions.ts';
import { found } from './found-template.ts';
import { previewTemplate } from '../../rendering/preview-template.ts';

/** Templates: named messages with Liquid, their versions, and previews. */
export function templateRoutes(deps: ApiDependencies): Route[] {
  const { db, deliveryRetentionDays } = deps;
  const routes = [
    // Before the routes of a slug: this name is no slug.
    defineRoute(previewTemplateEndpoint, async ({ res, body }) => {
      // Checking a template costs as much as a question.
      countQuestion(deps, res);
      return previewTemplate(deps, getApplicationId(res), body);
    }),
    defineRoute(previewStoredTemplateEndpoint, async ({ res, params, body }) => {
      const { applicationId, slug } = templateOf(res, params);
      const { version = null, ...asked } = body;
      countQuestion(deps, res);
      const [stored = null] = await readTemplateVersions(db.sql, applicationId, [
        { slug, version },
      ]);
      const { version: current, ...content } = found(stored);
      return {
        version: current,
        ...(await previewTemplate(deps, applicationId, {
          ...content,
          ...asked,
        })),
      };
    }),
    defineRoute(listTemplatesEndpoint, async ({ res, query }) => {
      const { cursor: after = null, limit } = readPage(query, isSlugCursor);
      const listed = await listTemplates(db.sql, getApplicationId(res), { after, limit });
      return toBoundedPage(listed, ({ slug }) => slug);
    }),
    defineRoute(readTemplateEndpoint, async ({ res, params }) =>
      found(await readTemplate(db.sql, templateOf(res, params))),
    ),
    defineRoute(writeTemplateEndpoint, async ({ res, params, body }) => {
      const { expectedVersion, ...rest } = body;
      const written = await writeTemplate(db, {
        ...templateOf(res, params),
        ...rest,
        deliveryRetentionDays,
        ...(expectedVersion !== undefined && { expectedVersion }),
        by: getActor(res),
      });
      const { template, warnings } = accepted(written);
      return { ...template, warnings };
    }),
    defineRoute(deleteTemplateEndpoint, async ({ res, params }) => {
      const template = { ...templateOf(res, params), by: getActor(res) };
      const outcome = found(await archiveTemplate(db, template));
      if (outcome !== 'archived')
        throw new AppError(
          'conflict',
          `Automations send it: ${outcome.join(', ')}. Change these first.`,
        );
    }),
    defineRoute(listTemplateVersionsEndpoint, async ({ res, params, query }) => {
      const { cursor, limit } = readPage(query, isVersionCursor);
      const list = (after: number | null) =>
        listTemplateVersions(db.sql, templateOf(res, params), { after, limit });
      const listed = await list(cursor === undefined ? null : Number(cursor));
      if (listed.items.length === 0 && (await list(null)).items.length === 0) found(null);
      return toBoundedPage(listed, ({ version }) => String(version));
    }),
  ];
  return routes.map((route) => ({ ...route, readBody: readExactJson }));
}

const templateOf = (res: Response, params: Readonly<Record<string, string>>) => ({
  applicationId: getApplicationId(res),
  slug: String(params['slug']),
});

/** @throws AppError `conflict` or `validation_failed` */
function accepted(written: WrittenTemplate): Extract<WrittenTemplate, { template: unknown }> {
  if (written === 'moved')
    throw new AppError('conflict', 'The template has another version. Read it again.');
  if (written === 'other_channel')
    throw new AppError('conflict', 'The template is of another channel. Use another slug.');
  if (written === 'too_many')
    throw new AppError(
      'conflict',
      `An application has at most ${LIMITS.templatesMax} templates. Delete one first.`,
    );
  if ('errors' in written)
    throw new AppError('validation_failed', 'The template is not valid.', {
      errors: [...written.errors],
    });
  return written;
}
