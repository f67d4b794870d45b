import { readAutomation, type Automation } from '@tidings/automations/automations';
import { AppError } from '@tidings/platform';
import type { Sql } from '@tidings/postgres/database';
import type { Response } from 'express';
import { getApplicationId } from '../../auth/access.ts';

type Params = Readonly<Record<string, string>>;

export const automationOf = (res: Response, params: Params) => ({
  applicationId: getApplicationId(res),
  slug: String(params['slug']),
});

/** @throws AppError `not_found` */
export async function foundAutomation(
  sql: Sql,
  res: Response,
  params: Params,
): Promise<Automation> {
  return found(await readAutomation(sql, automationOf(res, params)));
}

/** @throws AppError `not_found` */
export function found<T>(automation: T | null): T {
  if (automation === null) throw notFound();
  return automation;
}

export const notFound = (): AppError =>
  new AppError('not_found', 'This application has no automation with this slug.');
