/**
 * Purpose of the signed id in the URL of a status callback. worker-sms signs it, client-api
 * verifies it.
 */
export const SMS_STATUS_PURPOSE = 'sms-status';
