import { useMemo } from 'react';
import { useReadAll } from '../../api/queries.ts';
import type { Template } from '../../api/types.ts';

/** All templates of the application; undefined until they are read. */
export function useTemplates(enabled = true): readonly Template[] | undefined {
  return useReadAll<Template>('templates', { enabled }).data;
}

/** Names of templates by slug. A template that was deleted has none. */
export function useTemplateNames(enabled = true): ReadonlyMap<string, string> {
  const templates = useTemplates(enabled);
  return useMemo(
    () => new Map((templates ?? []).map(({ slug, name }) => [slug, name])),
    [templates],
  );
}
