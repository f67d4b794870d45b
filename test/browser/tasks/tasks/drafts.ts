import { callApi } from '@tidings/local';
import type { Scene } from '../task.ts';

/** A personal e-mail as it is written, before it has people and a purpose. */
export const PERSONAL_MAIL = {
  title: 'For {{ user.firstName }}',
  body: '<p>Dear {{ user.firstName }}, thank you.</p>',
};

/** Stores what was written so far. Returns the page that goes on with it. */
export async function storeDraft({ asAdmin }: Scene, content: object): Promise<string> {
  const { draftId } = await callApi<{ readonly draftId: string }>(asAdmin, {
    method: 'POST',
    path: '/api/v1/drafts',
    body: {
      content: { channel: 'EMAIL', message: PERSONAL_MAIL, personalize: true, ...content },
    },
  });
  return `/compose?draft=${draftId}`;
}
