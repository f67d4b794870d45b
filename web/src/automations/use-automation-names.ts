import { useMemo } from 'react';
import { useTemplateNames } from '../pages/templates/use-templates.ts';
import { useSegmentFacts } from '../pages/segments/use-segment-facts.ts';
import type { BuilderFacts } from '../conditions/builder-context.ts';
import type { AutomationNames } from './words.ts';

/** What the sentences of automations name, and what their fields offer. */
export function useAutomationNames(): {
  readonly names: AutomationNames;
  readonly facts: BuilderFacts;
} {
  const facts = useSegmentFacts();
  const templates = useTemplateNames();
  return useMemo(() => ({ names: { ...facts.names, templates }, facts }), [facts, templates]);
}
