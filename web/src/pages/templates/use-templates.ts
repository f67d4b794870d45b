import { useMemo } from 'react';
import { useRead, type Page as Listed } from '../../api/queries.ts';
import type { Template } from '../../api/types.ts';

/** The most that one page of the API has, and more than an application may have. */
const ROWS_MAX = 500;

/** All templates of the application; undefined until they are read. */
export function useTemplates(enabled = true): readonly Template[] | undefined {
  return useRead<Listed<Template>>('templates', { query: { limit: ROWS_MAX }, enabled }).data
    ?.items;
}

/** Names of templates by slug. A template that was deleted has none. */
export function useTemplateNames(enabled = true): ReadonlyMap<string, string> {
  const templates = useTemplates(enabled);
  return useMemo(
    () => new Map((templates ?? []).map(({ slug, name }) => [slug, name])),
    [templates],
  );
}
