import { expect, test } from '@jest/globals';
import { readCases, render } from './support/helm.ts';

const NETWORK = '10.77.0.0/16';
const LISTS = {
  smtp: ['worker-email'],
  sms: ['worker-sms'],
  push: ['worker-app-push', 'worker-web-push'],
  hooks: ['webhooks', 'worker-web-hook'],
} as const;

test.each(Object.entries(LISTS))(
  'the networks that are opened for %s are open to no other purpose',
  (purpose, components) => {
    const manifests = render(String(readCases().get('production')), {
      egress: { networks: { [purpose]: [NETWORK] } },
    });
    const having = (kind: string): string[] =>
      manifests
        .filter((manifest) => manifest.kind === kind && JSON.stringify(manifest).includes(NETWORK))
        .map(({ metadata }) => metadata.name.replace(/^try-tidings-/, ''));

    expect(having('Deployment').toSorted()).toEqual(components);
    expect(having('NetworkPolicy').toSorted()).toEqual(components);
  },
);
