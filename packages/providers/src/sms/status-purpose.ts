/** What the id in the address of a status callback is signed for: worker-sms signs it, client-api opens it. */
export const SMS_STATUS_PURPOSE = 'sms-status';
