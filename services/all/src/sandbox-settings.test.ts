import { expect, test } from '@jest/globals';
import { createPushServices } from '@tidings/egress';
import { withSandboxSettings } from './sandbox-settings.ts';

const NETWORKS = ['SMTP', 'SMS', 'PUSH', 'HOOKS'].map((of) => `EGRESS_${of}_NETWORKS`);

test('every purpose may reach the sandbox, and nothing but this machine', () => {
  const settings = withSandboxSettings({});

  expect(NETWORKS.map((name) => settings[name])).toEqual(NETWORKS.map(() => '127.0.0.0/8,::1/128'));
});

test('endpoints of the sandbox and of browsers are accepted; bounces go to the public port', () => {
  const settings = withSandboxSettings({ SANDBOX_PORT: '8026', PORT: '8081' });
  const accepts = createPushServices({
    webPushServices: settings['WEB_PUSH_SERVICES']?.split(',') ?? [],
  });

  expect(
    [
      'http://127.0.0.1:8026/push/1',
      'http://localhost:8026/push/1',
      'http://localhost:8025/push/1',
      'https://fcm.googleapis.com/1',
    ].map(accepts),
  ).toEqual([true, true, false, true]);
  expect(settings['REPORT_URL']).toBe('http://127.0.0.1:8081/cb/email/dsn');
});

test('variables of the environment win', () => {
  const settings = withSandboxSettings({ EGRESS_SMTP_NETWORKS: '10.0.0.0/8', REPORT_URL: '' });

  expect([settings['EGRESS_SMTP_NETWORKS'], settings['REPORT_URL']]).toEqual(['10.0.0.0/8', '']);
});
