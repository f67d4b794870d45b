import { callApi } from '@tidings/local';
import type { Scene, Task } from '../task.ts';
import { awaitStatus, push } from './campaigns.ts';
import { latestCampaigns } from './places.ts';

const PEOPLE_MAX = 5_000;
const STATUS_SHOWN = { paused: 'Paused', sending: 'Sending', canceled: 'Canceled' };

type ControlOptions = {
  /** In the row of the campaign. */
  readonly button: string;
  readonly confirm?: string;
  /** Whether it is paused before. */
  readonly isPaused?: boolean;
  readonly after: 'paused' | 'sending' | 'canceled';
};

/** Each from the overview, of a running campaign of its own. */
const control = (
  action: string,
  { button, confirm, isPaused = false, after }: ControlOptions,
): Task => ({
  name: `9 ${action} a running campaign`,
  clicksMax: 2,
  async prepare(scene) {
    await slowDown(scene);
    const name = `${action} me`;
    const campaignId = await push(scene, {
      name,
      recipients: scene.data.people
        .filter(({ phoneNumber }) => phoneNumber !== null)
        .slice(0, PEOPLE_MAX)
        .map(({ customUserId }) => customUserId),
      channel: 'SMS',
      message: { body: 'The spring catalogue is here.' },
    });
    await awaitStatus(scene, campaignId, 'sending');
    if (isPaused)
      await callApi(scene.asServer, {
        method: 'POST',
        path: `/api/v1/campaigns/${campaignId}/pause`,
      });
    return {
      async perform(page) {
        const row = latestCampaigns(page).getByRole('row').filter({ hasText: name });
        await row.hover();
        await row.getByRole('button', { name: button, exact: true }).click();
        if (confirm !== undefined)
          await page.getByRole('dialog').getByRole('button', { name: confirm }).click();
        await row.getByText(STATUS_SHOWN[after]).waitFor();
        await awaitStatus(scene, campaignId, after);
      },
    };
  },
});

export const controls: readonly Task[] = [
  control('Pause', { button: 'Pause', after: 'paused' }),
  control('Resume', { button: 'Resume', isPaused: true, after: 'sending' }),
  control('Cancel', { button: 'Cancel', confirm: 'Cancel campaign', after: 'canceled' }),
];

/** One SMS a second: what is sent to many runs until it is canceled. */
async function slowDown({ asAdmin }: Scene): Promise<void> {
  const path = '/api/v1/channels/SMS';
  const { settings } = await callApi<{ readonly settings: Readonly<Record<string, unknown>> }>(
    asAdmin,
    { path },
  );
  if (settings['ratePerSecond'] === 1) return;
  await callApi(asAdmin, {
    method: 'PUT',
    path,
    body: { ...settings, authToken: 'any token will do', ratePerSecond: 1 },
  });
  await callApi(asAdmin, { method: 'POST', path: `${path}/test`, body: { to: '+15005550100' } });
}
