import type { ErrorCode, FieldCode, WarningCode } from '../error-codes.ts';
import type { SignInFault } from '../members.ts';
import type { Explanation } from './explanation.ts';

export const ERROR_EXPLANATIONS = {
  invalid_json: {
    summary: 'The request is not UTF-8, not JSON or not HTTP.',
    remedy: 'Send what JSON.stringify or the like gives, in UTF-8, with the right Content-Length.',
  },
  validation_failed: {
    summary: 'The request does not fit the interface, and nothing of it was taken.',
    remedy: 'Correct what each pointer names, then send the whole request again.',
  },
  unauthenticated: {
    summary: 'Nobody is signed in, the session has ended, or the password is wrong.',
    remedy: 'Sign in again.',
  },
  https_required: {
    summary:
      'The request came by plain HTTP, where others can read it, and nothing of it was taken.',
    remedy: 'Call the same address with https, and replace a key that was sent without it.',
  },
  forbidden: {
    summary: 'The application id, the key or the token is not valid, or does not allow this.',
    remedy:
      'Check both headers against Settings, Keys; ask an administrator if your role should allow it.',
  },
  ip_not_allowed: {
    summary: 'The key is valid, and the address is not on the allow-list.',
    remedy: 'Add the address under Settings, Allow-list, or call from one that is on it.',
  },
  client_key_forbidden: {
    summary: 'A Client key may not do this.',
    remedy: 'Call it from your back end with a Server key.',
  },
  role_forbidden: {
    summary: 'The role of the member does not allow this.',
    remedy: 'Ask an owner or an administrator, who may also change the role.',
  },
  csrf_rejected: {
    summary: 'The request does not come from a page of the dashboard.',
    remedy: 'Reload the page and try again; programs use a Server key or an administrator token.',
  },
  not_found: {
    summary: 'There is nothing at this address.',
    remedy: 'Check the id and the application; ids of another application are not found.',
  },
  method_not_allowed: {
    summary: 'The address does not know this method.',
    remedy: 'Use one of those that the header Allow names.',
  },
  request_timeout: {
    summary: 'The request did not arrive in time.',
    remedy: 'Send it again; check the connection if it happens often.',
  },
  conflict: {
    summary: 'The present state does not allow it.',
    remedy: 'Read the detail, reload and decide again.',
  },
  idempotency_conflict: {
    summary: 'The Idempotency-Key was used with another body.',
    remedy: 'Use a new key for each campaign, and the same body when you repeat one.',
  },
  payload_too_large: {
    summary: 'The body is larger than the address takes.',
    remedy: 'Split it into several requests.',
  },
  unsupported_media_type: {
    summary: 'The content type or encoding is not one that is read.',
    remedy: 'Send application/json in UTF-8, plain or encoded once by gzip, br or deflate.',
  },
  rate_limited: {
    summary: 'There were too many requests.',
    remedy: 'Wait as long as Retry-After says; batch messages, or ask for a higher rate.',
  },
  headers_too_large: {
    summary: 'The headers are larger than 16 KiB.',
    remedy: 'Send fewer or shorter headers; cookies are not needed.',
  },
  internal: {
    summary: 'Something failed inside the service.',
    remedy: 'Send it again; if it stays so, report the request id to whoever runs the service.',
  },
  unavailable: {
    summary: 'The service cannot take this now.',
    remedy: 'Send the very same again after Retry-After; nothing of it was taken.',
  },
} as const satisfies Record<ErrorCode, Explanation>;

export const FIELD_EXPLANATIONS = {
  required: { summary: 'It is missing.', remedy: 'Add it.' },
  wrong_type: {
    summary: 'It is of another type of JSON.',
    remedy: 'Send the type that is expected: numbers without quotes, times as whole milliseconds.',
  },
  out_of_range: {
    summary: 'It is smaller or larger than allowed.',
    remedy: 'Send a value within the bounds.',
  },
  invalid_value: {
    summary: 'It is none of the values there are.',
    remedy: 'Send one of those that are expected, spelled exactly so.',
  },
  exactly_one_of: {
    summary: 'Of these fields exactly one may be there.',
    remedy: 'Send one of them and leave the other out.',
  },
  unsupported_type: {
    summary: 'This type is not supported here.',
    remedy: 'Send a string, number, boolean, date or object; put a list into an object.',
  },
  too_long: { summary: 'It is too long.', remedy: 'Shorten it.' },
  too_many: { summary: 'There are too many.', remedy: 'Split them over several requests.' },
  empty: { summary: 'It is empty.', remedy: 'Fill it in.' },
  nul_not_allowed: { summary: 'It contains the character U+0000.', remedy: 'Remove it.' },
  too_deep: { summary: 'It is nested more than 16 levels deep.', remedy: 'Flatten it.' },
} as const satisfies Record<FieldCode, Explanation>;

export const WARNING_EXPLANATIONS = {
  unknown_field: {
    summary: 'Nobody knows this field; it was ignored.',
    remedy: 'Check its spelling, or leave it out.',
  },
  unsupported_field: {
    summary: 'This field does not belong here; it was ignored.',
    remedy: 'Leave it out; what belongs to another channel or type has no effect.',
  },
  suspicious_time: {
    summary: 'The time looks like seconds, or lies more than a day ahead.',
    remedy: 'Send milliseconds since the epoch, and check the clock of the sender.',
  },
  unknown_placeholder: {
    summary: 'The text has a {{…}} that nothing fills in: it is sent as these letters.',
    remedy: 'Write the text itself; only {{unsubscribeUrl}} in the body of an e-mail is filled in.',
  },
  channel_untested: {
    summary: 'No test send of this channel has succeeded; it sends all the same.',
    remedy: 'Make a test send under Channels.',
  },
} as const satisfies Record<WarningCode, Explanation>;

export const SIGN_IN_FAULT_EXPLANATIONS = {
  failed: {
    summary: 'The sign-in by the identity provider did not work.',
    remedy: 'Try again; if it stays so, ask whoever looks after the identity provider.',
  },
  no_role: {
    summary: 'The identity provider knows you, but none of your groups has a role here.',
    remedy: 'Ask an administrator to give one of your groups a role.',
  },
  no_email: {
    summary: 'The identity provider has not told your e-mail address.',
    remedy: 'Ask whoever looks after it to tell the address to this application.',
  },
  email_taken: {
    summary:
      'A member has your e-mail address, and the identity provider has not verified that it is yours.',
    remedy: 'Sign in with your password, or have the address verified at the identity provider.',
  },
  unavailable: {
    summary: 'The identity provider cannot be reached.',
    remedy: 'Try again in a moment.',
  },
} as const satisfies Record<SignInFault, Explanation>;
