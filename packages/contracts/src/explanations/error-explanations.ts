import type { ErrorCode, FieldCode, WarningCode } from '../error-codes.ts';
import type { SignInFault } from '../members.ts';
import type { Explanation } from './explanation.ts';

export const ERROR_EXPLANATIONS = {
  invalid_json: {
    means: 'The request is not UTF-8, not JSON or not HTTP.',
    toDo: 'Send what JSON.stringify or the like gives, in UTF-8, with the right Content-Length.',
  },
  validation_failed: {
    means: 'The request does not fit the interface, and nothing of it was taken.',
    toDo: 'Correct what each pointer names, then send the whole request again.',
  },
  unauthenticated: {
    means: 'Nobody is signed in, the session has ended, or the password is wrong.',
    toDo: 'Sign in again.',
  },
  https_required: {
    means: 'The request came by plain HTTP, where others can read it, and nothing of it was taken.',
    toDo: 'Call the same address with https, and replace a key that was sent without it.',
  },
  forbidden: {
    means: 'The application id, the key or the token is not valid, or does not allow this.',
    toDo: 'Check both headers against Settings, Keys; ask an administrator if your role should allow it.',
  },
  ip_not_allowed: {
    means: 'The key is valid, and the address is not on the allow-list.',
    toDo: 'Add the address under Settings, Allow-list, or call from one that is on it.',
  },
  client_key_forbidden: {
    means: 'A Client key may not do this.',
    toDo: 'Call it from your back end with a Server key.',
  },
  role_forbidden: {
    means: 'The role of the member does not allow this.',
    toDo: 'Ask an owner or an administrator, who may also change the role.',
  },
  csrf_rejected: {
    means: 'The request does not come from a page of the dashboard.',
    toDo: 'Reload the page and try again; programs use a Server key or an administrator token.',
  },
  not_found: {
    means: 'There is nothing at this address.',
    toDo: 'Check the id and the application; ids of another application are not found.',
  },
  method_not_allowed: {
    means: 'The address does not know this method.',
    toDo: 'Use one of those that the header Allow names.',
  },
  request_timeout: {
    means: 'The request did not arrive in time.',
    toDo: 'Send it again; check the connection if it happens often.',
  },
  conflict: {
    means: 'The present state does not allow it.',
    toDo: 'Read the detail, reload and decide again.',
  },
  idempotency_conflict: {
    means: 'The Idempotency-Key was used with another body.',
    toDo: 'Use a new key for each campaign, and the same body when you repeat one.',
  },
  payload_too_large: {
    means: 'The body is larger than the address takes.',
    toDo: 'Split it into several requests.',
  },
  unsupported_media_type: {
    means: 'The content type or encoding is not one that is read.',
    toDo: 'Send application/json in UTF-8, plain or encoded once by gzip, br or deflate.',
  },
  rate_limited: {
    means: 'There were too many requests.',
    toDo: 'Wait as long as Retry-After says; batch messages, or ask for a higher rate.',
  },
  headers_too_large: {
    means: 'The headers are larger than 16 KiB.',
    toDo: 'Send fewer or shorter headers; cookies are not needed.',
  },
  internal: {
    means: 'Something failed inside the service.',
    toDo: 'Send it again; if it stays so, report the request id to whoever runs the service.',
  },
  unavailable: {
    means: 'The service cannot take this now.',
    toDo: 'Send the very same again after Retry-After; nothing of it was taken.',
  },
} as const satisfies Record<ErrorCode, Explanation>;

export const FIELD_EXPLANATIONS = {
  required: { means: 'It is missing.', toDo: 'Add it.' },
  wrong_type: {
    means: 'It is of another type of JSON.',
    toDo: 'Send the type that is expected: numbers without quotes, times as whole milliseconds.',
  },
  out_of_range: {
    means: 'It is smaller or larger than allowed.',
    toDo: 'Send a value within the bounds.',
  },
  invalid_value: {
    means: 'It is none of the values there are.',
    toDo: 'Send one of those that are expected, spelled exactly so.',
  },
  exactly_one_of: {
    means: 'Of these fields exactly one may be there.',
    toDo: 'Send one of them and leave the other out.',
  },
  unsupported_type: {
    means: 'This type is not supported here.',
    toDo: 'Send a string, number, boolean, date or object; put a list into an object.',
  },
  too_long: { means: 'It is too long.', toDo: 'Shorten it.' },
  too_many: { means: 'There are too many.', toDo: 'Split them over several requests.' },
  empty: { means: 'It is empty.', toDo: 'Fill it in.' },
  nul_not_allowed: { means: 'It contains the character U+0000.', toDo: 'Remove it.' },
  too_deep: { means: 'It is nested more than 16 levels deep.', toDo: 'Flatten it.' },
} as const satisfies Record<FieldCode, Explanation>;

export const WARNING_EXPLANATIONS = {
  unknown_field: {
    means: 'Nobody knows this field; it was ignored.',
    toDo: 'Check its spelling, or leave it out.',
  },
  unsupported_field: {
    means: 'This field does not belong here; it was ignored.',
    toDo: 'Leave it out; what belongs to another channel or type has no effect.',
  },
  suspicious_time: {
    means: 'The time looks like seconds, or lies more than a day ahead.',
    toDo: 'Send milliseconds since the epoch, and check the clock of the sender.',
  },
  unknown_placeholder: {
    means: 'The text has a {{…}} that nothing fills in: it is sent as these letters.',
    toDo: 'Write the text itself; only {{unsubscribeUrl}} in the body of an e-mail is filled in.',
  },
  channel_untested: {
    means: 'No test send of this channel has succeeded; it sends all the same.',
    toDo: 'Make a test send under Channels.',
  },
} as const satisfies Record<WarningCode, Explanation>;

export const SIGN_IN_FAULT_EXPLANATIONS = {
  failed: {
    means: 'The sign-in by the identity provider did not work.',
    toDo: 'Try again; if it stays so, ask whoever looks after the identity provider.',
  },
  no_role: {
    means: 'The identity provider knows you, but none of your groups has a role here.',
    toDo: 'Ask an administrator to give one of your groups a role.',
  },
  no_email: {
    means: 'The identity provider has not told your e-mail address.',
    toDo: 'Ask whoever looks after it to tell the address to this application.',
  },
  email_taken: {
    means:
      'A member has your e-mail address, and the identity provider has not verified that it is yours.',
    toDo: 'Sign in with your password, or have the address verified at the identity provider.',
  },
  unavailable: {
    means: 'The identity provider cannot be reached.',
    toDo: 'Try again in a moment.',
  },
} as const satisfies Record<SignInFault, Explanation>;
