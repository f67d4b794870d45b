import { useQueryClient } from '@tanstack/react-query';
import type { AutomationDefinition } from '@tidings/contracts/automations/definition';
import type { Warning } from '@tidings/contracts/errors/error-codes';
import { useState } from 'react';
import { request } from '../api/client.ts';
import { readFieldErrors } from '../api/problem.ts';
import { invalidate } from '../api/queries.ts';
import type { Automation, ChangedAutomation, StoredDraft } from '../api/types.ts';
import { useStore } from '../lib/store.ts';
import { useTemplates } from '../pages/templates/use-templates.ts';
import { createDraftSaver, type DraftSaver, type SaverState } from '../pages/drafts/draft-saver.ts';
import { createLinkedWords } from '../pages/compose/linked-words.ts';
import type { StepWords } from '../pages/compose/step-words.ts';
import { clickCautions } from './click-cautions.ts';
import { placeFaults, placeWarnings, type Caution, type Fault } from './faults.ts';

/** Changes that can be undone. */
const PAST_MAX = 100;

const toStored = (automation: Automation): StoredDraft => ({
  draftId: automation.slug,
  version: automation.draftVersion,
  content: automation.draft,
  createdAt: automation.createdAt,
  createdBy: automation.updatedBy,
  updatedAt: automation.updatedAt,
  updatedBy: automation.updatedBy,
});

export type AutomationDraft = {
  readonly definition: AutomationDefinition;
  readonly saving: DraftSaver & SaverState;
  readonly faults: readonly Fault[];
  /** What the service warned about when it was saved last, and clicks that cannot come. */
  readonly cautions: readonly Caution[];
  /** Another one after each change from elsewhere: the key of fields, which then begin anew. */
  readonly edition: number;
  readonly canUndo: boolean;
  /** What was written for channels that steps have no more. */
  readonly words: StepWords;
  readonly change: (next: AutomationDefinition) => void;
  readonly undo: () => void;
  /** Lets the service look at it once more: what it names may be gone since. False: it has faults. */
  readonly check: () => Promise<boolean>;
  /** Shows what another editor has made of it. */
  readonly takeTheirs: () => void;
};

/** The draft of an automation while it is edited: it saves itself, and what was done can be undone. */
export function useAutomationDraft(automation: Automation): AutomationDraft {
  const client = useQueryClient();
  const [warnings, setWarnings] = useState<readonly Warning[]>([]);
  const [saver] = useState(() => {
    const path = `automations/${encodeURIComponent(automation.slug)}`;
    const write = async (content: object, expectedVersion?: number): Promise<StoredDraft> => {
      const written = await request<ChangedAutomation>(path, {
        method: 'PUT',
        body: { ...content, expectedVersion },
      });
      setWarnings(written.warnings);
      void invalidate(client, ['automations']);
      return toStored(written);
    };
    return createDraftSaver({
      draft: toStored(automation),
      requests: {
        // Who keeps theirs in a conflict writes over the other.
        create: (content) => write(content),
        write: ({ version }, content) => write(content, version),
        read: async () => toStored(await request<Automation>(path)),
      },
      onCreated: () => undefined,
    });
  });
  const state = useStore(saver.state);
  const [definition, setDefinition] = useState(automation.draft);
  const [past, setPast] = useState<readonly AutomationDefinition[]>([]);
  const [edition, setEdition] = useState(0);
  const [words] = useState(createLinkedWords);
  const templates = useTemplates();
  const show = (next: AutomationDefinition): void => {
    setDefinition(next);
    setEdition((before) => before + 1);
  };
  return {
    definition,
    saving: { ...saver, ...state },
    faults: placeFaults(definition, readFieldErrors(state.error)),
    cautions: [...placeWarnings(definition, warnings), ...clickCautions(definition, templates)],
    edition,
    canUndo: past.length > 0,
    words,
    change(next) {
      setPast([...past.slice(-PAST_MAX), definition]);
      setDefinition(next);
      saver.change(next);
    },
    undo() {
      const before = past.at(-1);
      if (before === undefined) return;
      setPast(past.slice(0, -1));
      show(before);
      // Another object: what was saved last may be the same one.
      saver.change({ ...before });
    },
    async check() {
      // Equal content changes nothing.
      saver.change({ ...saver.latest() });
      return (await saver.flush()) === 'saved';
    },
    takeTheirs() {
      const { conflict } = state;
      if (conflict === null || conflict === 'gone') return;
      saver.takeTheirs(conflict);
      setPast([]);
      show(conflict.content as AutomationDefinition);
    },
  };
}
