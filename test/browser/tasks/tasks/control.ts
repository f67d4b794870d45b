import { callApi } from '@tidings/local';
import type { Page } from 'playwright-core';
import type { Scene, Task } from '../task.ts';
import { awaitStatus, push } from './campaigns.ts';
import { latestCampaign, latestCampaigns } from './places.ts';

const PEOPLE_MAX = 5_000;

type ControlOptions = Pick<Task, 'lacks'> & {
  /** Whether it is paused before. */
  readonly isPaused?: boolean;
  readonly act: (page: Page, name: string) => Promise<void>;
  readonly after: 'paused' | 'sending' | 'canceled';
};

/** Each from the overview, of a running campaign of its own. */
const control = (
  action: string,
  { isPaused = false, act, after, ...told }: ControlOptions,
): Task => ({
  name: `9 ${action} a running campaign`,
  clicksMax: 2,
  ...told,
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
        await act(page, name);
        await awaitStatus(scene, campaignId, after);
      },
    };
  },
});

export const controls: readonly Task[] = [
  control('Pause', {
    after: 'paused',
    async act(page, name) {
      await latestCampaign(page, name).click();
      await page.getByRole('button', { name: 'Pause' }).click();
      await page.getByText(/^Paused\. .* waiting/).waitFor();
    },
  }),
  control('Resume', {
    isPaused: true,
    after: 'sending',
    async act(page, name) {
      await latestCampaign(page, name).click();
      await page.getByRole('button', { name: 'Resume' }).click();
      await page.getByRole('button', { name: 'Pause' }).waitFor();
    },
  }),
  control('Cancel', {
    after: 'canceled',
    async act(page, name) {
      const row = latestCampaigns(page).getByRole('row').filter({ hasText: name });
      await row.hover();
      await row.getByRole('button', { name: 'Cancel', exact: true }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel campaign' }).click();
      await row.getByText('Canceled').waitFor();
    },
  }),
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
