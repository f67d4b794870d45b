import type { TemplateContent } from '@tidings/contracts/push/templates';
import { useMemo } from 'react';
import { useQuestion } from '../../api/queries.ts';
import { useMay } from '../../api/roles.ts';
import type { TemplatePreview } from '../../api/types.ts';
import { useSettled } from '../../ui/use-settled.ts';
import { toCheckable, toRenderable } from './template-draft.ts';

/** The last change of a template is asked after this time without another. */
const TYPING_MS = 400;
const PATH = 'templates/preview';

/** Checks a template while it is edited: its variables and faults. `content` changes only with the template. */
export function useTemplateCheck(content: TemplateContent, isWanted = true) {
  const may = useMay('previewTemplates');
  const settled = useSettled(content, TYPING_MS);
  const asked = useMemo(() => toCheckable(settled), [settled]);
  return useQuestion<TemplatePreview>(PATH, asked, isWanted && may && asked !== null);
}

/** Renders a template for a user while it is edited. */
export function useRendered(content: TemplateContent, customUserId: string) {
  const settled = useSettled(content, TYPING_MS);
  const asked = useMemo(() => toRenderable(settled), [settled]);
  return useQuestion<TemplatePreview>(PATH, { ...asked, customUserId }, asked !== null);
}
