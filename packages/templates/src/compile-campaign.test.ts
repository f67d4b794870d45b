import { expect, test } from '@jest/globals';
import type { CampaignTemplate } from '@tidings/contracts';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { compileCampaign } from './compile-campaign.ts';
import { userScope } from './user-scope.ts';
import { ADA } from './testing/render.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

test('a campaign with very many outputs does not take the memory of the worker', () => {
  const output = `{{ user.city | append: "${'a'.repeat(32)}" }}`;
  const message = { body: output.repeat(4_300) };
  const templates = Array.from({ length: 20 }, (_, index): CampaignTemplate => ({
    slug: `template-${index}`,
    version: 1,
    share: 1,
    message,
    variants: [],
  }));
  collectGarbage();
  const before = process.memoryUsage().heapUsed;

  const campaign = compileCampaign({
    campaignId: 'large',
    applicationId: 'any',
    channel: 'EMAIL',
    templates,
  });

  collectGarbage();
  expect((process.memoryUsage().heapUsed - before) / 1024 / 1024).toBeLessThan(100);
  const lengths = campaign.templates.map(({ message: compile }) => {
    const body = compile()?.render(userScope(ADA, 'large')).body;
    return typeof body === 'string' ? body.length : 0;
  });
  expect(lengths).toEqual(templates.map(() => 35 * 4_300));
});
