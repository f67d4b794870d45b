import { describe, expect, test } from '@jest/globals';
import { twilioStatusUpdate } from './status-update.ts';

describe('a Twilio status update', () => {
  test.each([
    ['accepted', null, { state: 'sent' }],
    ['scheduled', null, { state: 'sent' }],
    ['queued', null, { state: 'sent' }],
    ['sending', null, { state: 'sent' }],
    ['sent', null, { state: 'sent' }],
    ['delivered', null, { state: 'delivered' }],
    ['read', null, { state: 'delivered' }],
    ['undelivered', 30003, { state: 'failed', reason: 'provider_unavailable' }],
    [
      'undelivered',
      30004,
      { state: 'failed', reason: 'invalid_address', suppression: 'suppressed_bounce' },
    ],
    [
      'undelivered',
      30005,
      { state: 'failed', reason: 'invalid_address', suppression: 'suppressed_bounce' },
    ],
    [
      'undelivered',
      30006,
      { state: 'failed', reason: 'invalid_address', suppression: 'suppressed_bounce' },
    ],
    ['undelivered', 30007, { state: 'failed', reason: 'provider_rejected' }],
    ['undelivered', 30008, { state: 'failed', reason: 'provider_rejected' }],
    ['failed', 30001, { state: 'failed', reason: 'provider_unavailable' }],
    ['failed', 30034, { state: 'failed', reason: 'provider_rejected' }],
    ['failed', 30036, { state: 'expired' }],
    ['failed', 21610, { state: 'failed', reason: 'sms_stop', suppression: 'sms_stop' }],
    ['failed', null, { state: 'failed', reason: 'provider_rejected' }],
    ['canceled', null, { state: 'failed', reason: 'provider_rejected' }],
    ['received', null, null],
    ['', null, null],
  ])('%s, code %j: %j', (status, code, news) => {
    expect(twilioStatusUpdate(status, code)).toEqual(news);
  });
});
