/** Version of the interface, sent in the header `API-Version` of every response. */
export const API_VERSION = '1';
/** The media type of every error (RFC 9457). */
export const PROBLEM_TYPE = 'application/problem+json';
