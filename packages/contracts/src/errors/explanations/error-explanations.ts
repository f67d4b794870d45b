import type { ErrorCode, FieldCode, WarningCode } from '../error-codes.ts';
import type { SignInFault } from '../../members.ts';
import type { Explanation } from './explanation.ts';

export const ERROR_EXPLANATIONS = {
  invalid_json: {
    summary: 'The request is not valid UTF-8, JSON or HTTP.',
    remedy:
      'Send the output of JSON.stringify or an equivalent, in UTF-8, with the correct Content-Length.',
  },
  validation_failed: {
    summary: 'The request is invalid. Nothing was stored.',
    remedy: 'Fix the fields that the pointers name, then send the whole request again.',
  },
  unauthenticated: {
    summary: 'You are not signed in, your session has ended, or the password is wrong.',
    remedy: 'Sign in again.',
  },
  https_required: {
    summary: 'The request used plain HTTP, which others can read. Nothing was stored.',
    remedy: 'Use https. Replace every key that was sent over plain HTTP.',
  },
  forbidden: {
    summary: 'The application ID, key or token is invalid, or does not permit this request.',
    remedy:
      'Compare both headers with Settings, Keys. Ask an administrator if your role should permit it.',
  },
  ip_not_allowed: {
    summary: 'The key is valid, but the IP address is not on the allow-list.',
    remedy: 'Add the address under Settings, Allow-list, or call from a listed one.',
  },
  client_key_forbidden: {
    summary: 'A Client key does not permit this request.',
    remedy: 'Call the endpoint from your back end with a Server key.',
  },
  role_forbidden: {
    summary: 'Your role does not permit this.',
    remedy: 'Ask an owner or administrator to do it, or to change your role.',
  },
  csrf_rejected: {
    summary: 'The request did not come from a dashboard page.',
    remedy:
      'Reload the page and try again. Programs must use a Server key or an administrator token.',
  },
  not_found: {
    summary: 'There is nothing at this address.',
    remedy: 'Check the ID and the application. IDs of other applications are never found.',
  },
  method_not_allowed: {
    summary: 'The endpoint does not support this method.',
    remedy: 'Use a method from the Allow header.',
  },
  request_timeout: {
    summary: 'The request did not arrive completely in time.',
    remedy: 'Send it again. Check the connection if this happens often.',
  },
  conflict: {
    summary: 'The current state does not permit this change.',
    remedy: 'Read the detail, reload, and try again if it still makes sense.',
  },
  idempotency_conflict: {
    summary: 'This Idempotency-Key was already used with a different body.',
    remedy: 'Use a new key for each campaign, and the same body when you repeat a request.',
  },
  payload_too_large: {
    summary: 'The body exceeds the endpoint’s size limit.',
    remedy: 'Split it into several requests.',
  },
  unsupported_media_type: {
    summary: 'The content type or encoding is not supported.',
    remedy:
      'Send application/json in UTF-8, uncompressed or compressed once with gzip, br or deflate.',
  },
  rate_limited: {
    summary: 'Too many requests.',
    remedy:
      'Wait for the time in Retry-After. Send messages in batches, or ask for a higher rate limit.',
  },
  headers_too_large: {
    summary: 'The headers exceed 16 KiB.',
    remedy: 'Send fewer or shorter headers. Cookies are not needed.',
  },
  internal: {
    summary: 'An internal error occurred.',
    remedy:
      'Send the request again. If the error persists, report the request ID to your operator.',
  },
  unavailable: {
    summary: 'The service is temporarily unavailable. Nothing was stored.',
    remedy: 'Retry the same request after the time in Retry-After.',
  },
} as const satisfies Record<ErrorCode, Explanation>;

export const FIELD_EXPLANATIONS = {
  required: { summary: 'Required.', remedy: 'Add the field.' },
  wrong_type: {
    summary: 'Wrong type.',
    remedy: 'Send the expected JSON type: numbers without quotes, times in whole milliseconds.',
  },
  out_of_range: {
    summary: 'Out of range.',
    remedy: 'Send a value within the limits.',
  },
  invalid_value: {
    summary: 'Not an allowed value.',
    remedy: 'Send one of the expected values, with the same spelling.',
  },
  exactly_one_of: {
    summary: 'Exactly one of these fields is allowed.',
    remedy: 'Send one of them and omit the others.',
  },
  unsupported_type: {
    summary: 'This type is not supported here.',
    remedy: 'Send a string, number, boolean, date or object. Put lists inside an object.',
  },
  too_long: { summary: 'Too long.', remedy: 'Shorten it.' },
  too_many: { summary: 'Too many items.', remedy: 'Split them over several requests.' },
  empty: { summary: 'Must not be empty.', remedy: 'Enter a value.' },
  nul_not_allowed: { summary: 'Contains the character U+0000.', remedy: 'Remove the character.' },
  too_deep: { summary: 'Nested too deep.', remedy: 'Flatten the value.' },
  not_live: {
    summary: 'The segment asks for something that changes without a record of the person.',
    remedy: 'Ask for it in a filter or an `if`, and name a segment without it here.',
  },
  template_syntax: {
    summary: 'The template cannot be read.',
    remedy: 'Correct the tag, filter or output at the line and column.',
  },
  unknown_variable: {
    summary: 'No such variable exists.',
    remedy:
      'Use a field of the profile, as {{ user.firstName }} or {{ user.customAttributes.plan }}. {{ unsubscribeUrl }} exists in the body of an e-mail alone.',
  },
  unsafe_place: {
    summary: 'A value must not stand here in HTML.',
    remedy:
      'Put the output into text, or into an attribute value in quotes. Behind the host of a link, write / first. Behind {{ unsubscribeUrl }} in a link, write ? first.',
  },
} as const satisfies Record<FieldCode, Explanation>;

export const WARNING_EXPLANATIONS = {
  unknown_field: {
    summary: 'Unknown field (ignored).',
    remedy: 'Check the spelling, or omit the field.',
  },
  unsupported_field: {
    summary: 'This field does not apply here (ignored).',
    remedy: 'Omit it. Fields of other channels or types have no effect.',
  },
  suspicious_time: {
    summary: 'The time looks like seconds, or is more than a day in the future.',
    remedy: 'Send milliseconds since the Unix epoch, and check the sender’s clock.',
  },
  suspicious_user_id: {
    summary:
      'The id looks like a missing value, such as null or undefined. All who send it count as one user.',
    remedy: 'Send the id of the user. Without one, send the serviceUserId alone.',
  },
  withdrawn_currency: {
    summary: 'The currency is no longer in ISO 4217.',
    remedy: 'For an event of its time: nothing. Otherwise send the code that replaced it.',
  },
  unknown_placeholder: {
    summary:
      'The text contains a {{…}} placeholder, or a block, that is not replaced. Recipients see it as it is.',
    remedy:
      'Send personalize: true to fill it in, or write the text itself. Without personalize only {{unsubscribeUrl}} in the body of an e-mail is replaced.',
  },
  definition_discarded: {
    summary: 'The definition is discarded. New events of it are not stored.',
    remedy: 'Restore the definition, or name another one.',
  },
  beyond_retention: {
    summary: 'The condition looks further back than events or messages are kept.',
    remedy: 'Shorten its window, or keep them longer.',
  },
  empty_segment: {
    summary: 'No user was in the segment when the campaign began.',
    remedy: 'Check the condition, and count its members, before you send again.',
  },
  slow_segment: {
    summary:
      'Finding the users of the segment takes long. Its campaigns may wait for a longer try, and fail if that is not enough.',
    remedy:
      'Shorten the windows of its condition, or remove those about events. Or send to a list of users.',
  },
  local_time_passed: {
    summary: 'In some time zones the time has passed. Recipients there get the message at once.',
    remedy: 'Send at least 15 minutes before the time comes in the first zone, which is UTC+14.',
  },
  unproved_trigger: {
    summary: 'Events of a public key start the automation, for other people too.',
    remedy: 'Leave `from` out, or send the events with a Server key or a user token.',
  },
  in_use: {
    summary: 'Others name what was changed, and ask what it is now.',
    remedy: 'Look at what names it.',
  },
  channel_untested: {
    summary: 'No test send of this channel has succeeded. Messages are sent anyway.',
    remedy: 'Send a test under Channels.',
  },
} as const satisfies Record<WarningCode, Explanation>;

export const SIGN_IN_FAULT_EXPLANATIONS = {
  failed: {
    summary: 'Signing in through the identity provider failed.',
    remedy: 'Try again. If it keeps failing, ask the administrator of the identity provider.',
  },
  no_role: {
    summary: 'The identity provider knows you, but none of your groups has a role here.',
    remedy: 'Ask an administrator to assign a role to one of your groups.',
  },
  no_email: {
    summary: 'The identity provider did not send your e-mail address.',
    remedy: 'Ask the administrator of the identity provider to release it to this application.',
  },
  email_taken: {
    summary:
      'A member already has your e-mail address, and the identity provider has not verified that it is yours.',
    remedy: 'Sign in with your password, or have the address verified at the identity provider.',
  },
  unavailable: {
    summary: 'The identity provider cannot be reached.',
    remedy: 'Try again in a moment.',
  },
} as const satisfies Record<SignInFault, Explanation>;
