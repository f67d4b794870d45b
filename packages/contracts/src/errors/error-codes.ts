/** Every top-level error code with its HTTP status and title. A retired code is never used again. */
export const ERROR_CODES = {
  invalid_json: { status: 400, title: 'The request cannot be read' },
  validation_failed: { status: 400, title: 'The request is not valid' },
  unauthenticated: { status: 401, title: 'Authentication required' },
  https_required: { status: 403, title: 'Plain HTTP is not accepted' },
  forbidden: { status: 403, title: 'These credentials do not allow this' },
  ip_not_allowed: { status: 403, title: 'This address is not on the allow-list' },
  client_key_forbidden: { status: 403, title: 'A Client key may not do this' },
  role_forbidden: { status: 403, title: 'The role of the member does not allow this' },
  csrf_rejected: {
    status: 403,
    title: 'The request does not come from the pages of the dashboard',
  },
  not_found: { status: 404, title: 'Not found' },
  method_not_allowed: { status: 405, title: 'Method not allowed' },
  request_timeout: { status: 408, title: 'The request took too long to arrive' },
  conflict: { status: 409, title: 'The request conflicts with the current state' },
  idempotency_conflict: { status: 409, title: 'The Idempotency-Key was used with another body' },
  payload_too_large: { status: 413, title: 'The body is too large' },
  unsupported_media_type: { status: 415, title: 'Unsupported content type or encoding' },
  rate_limited: { status: 429, title: 'Too many requests' },
  headers_too_large: { status: 431, title: 'The headers are too large' },
  internal: { status: 500, title: 'Internal error' },
  unavailable: { status: 503, title: 'Temporarily unavailable' },
} as const;
export type ErrorCode = keyof typeof ERROR_CODES;

/** Faults of a field. */
export const FIELD_CODES = [
  'required',
  'wrong_type',
  'out_of_range',
  'invalid_value',
  'exactly_one_of',
  'unsupported_type',
  'too_long',
  'too_many',
  'empty',
  'nul_not_allowed',
  'too_deep',
  'not_live',
  'template_syntax',
  'unknown_variable',
  'unsafe_place',
] as const;
export type FieldCode = (typeof FIELD_CODES)[number];

/** One fault of a request: its position and the expected value. Never contains the actual value. */
export type FieldError = {
  readonly pointer: string;
  readonly code: FieldCode;
  readonly expected?: string;
  /** Index of the message in `messages` and the message's own id, for faults inside a message. */
  readonly index?: number;
  readonly messageId?: string;
  /** Place in the text of a template, from 1. */
  readonly line?: number;
  readonly column?: number;
};

/** Maximum field errors in a response. */
export const FIELD_ERRORS_MAX = 100;

/** RFC 9457 body of every response with a status of 400 and above. */
export type Problem = {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: ErrorCode;
  readonly detail?: string;
  readonly requestId: string;
  readonly errors?: readonly FieldError[];
  readonly errorsTruncated?: true;
};

export const WARNING_CODES = [
  'unknown_field',
  'unsupported_field',
  'suspicious_time',
  'suspicious_user_id',
  'withdrawn_currency',
  'channel_untested',
  'unknown_placeholder',
  'definition_discarded',
  'beyond_retention',
  'empty_segment',
  'slow_segment',
  'local_time_passed',
  'unproved_trigger',
  'in_use',
] as const;
export type WarningCode = (typeof WARNING_CODES)[number];

export type Warning = {
  readonly code: WarningCode;
  readonly pointer: string;
  readonly detail: string;
};

/** Maximum warnings in a response. */
export const WARNINGS_MAX = 100;
