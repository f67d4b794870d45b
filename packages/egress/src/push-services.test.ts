import { describe, expect, test } from '@jest/globals';
import { loadConfig } from '@tidings/platform';
import { createPushServices, pushServicesConfig } from './push-services.ts';

describe('endpoints of push services', () => {
  test.each([
    'https://fcm.googleapis.com/fcm/send/abc',
    'https://fcm.googleapis.com:443/fcm/send/abc',
    'https://updates.push.services.mozilla.com/wpush/v2/abc',
    'https://web.push.apple.com/abc',
    'https://sg2p.notify.windows.com/w/?token=abc',
    'HTTPS://FCM.GoogleAPIs.com/abc',
  ])('%s is one', (endpoint) => {
    expect(createPushServices(loadConfig(pushServicesConfig, {}))(endpoint)).toBe(true);
  });

  test.each([
    'http://fcm.googleapis.com/fcm/send/abc',
    'https://fcm.googleapis.com:8443/abc',
    'https://user:pass@fcm.googleapis.com/abc',
    'https://fcm.googleapis.com@evil.example/abc',
    'https://fcm.googleapis.com.evil.example/abc',
    'https://fcm.googleapis.com./abc',
    'https://evilgoogleapis.com/abc',
    'https://googleapis.com/abc',
    'https://evil.example/?x=.googleapis.com',
    'https://evil.example\\.googleapis.com/',
    'https://127.0.0.1/abc',
    'https://[::1]/abc',
    'https://169.254.169.254/latest/meta-data',
    'https://redis.default.svc.cluster.local/abc',
    'file:///etc/passwd',
    'no URL',
    '',
  ])('%s is none', (endpoint) => {
    expect(createPushServices(loadConfig(pushServicesConfig, {}))(endpoint)).toBe(false);
  });

  test('configured services replace the list; an origin matches exactly', () => {
    const isPushService = createPushServices({
      webPushServices: ['push.example', 'http://127.0.0.1:8025'],
    });
    const endpoints = [
      'https://push.example/a',
      'https://sub.push.example/a',
      'http://push.example/a',
      'http://127.0.0.1:8025/wpush/a',
      'http://127.0.0.1:8026/wpush/a',
      'https://fcm.googleapis.com/a',
    ];

    expect(endpoints.filter(isPushService)).toEqual([
      'https://push.example/a',
      'http://127.0.0.1:8025/wpush/a',
    ]);
  });
});
