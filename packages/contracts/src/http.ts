/** The version of the interface, in every answer's header `API-Version`. */
export const API_VERSION = '1';
/** The media type of every error (RFC 9457). */
export const PROBLEM_TYPE = 'application/problem+json';
