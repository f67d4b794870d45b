/**
 * What Postgres logs of a statement that fails. By default it writes the statement, and the keys or
 * the row that caused the error: values of users, which would stay in a file. The time, the
 * process, the name of the service, the SQLSTATE and the message stay. compose and the chart have
 * the same.
 */
export const POSTGRES_LOG = {
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_line_prefix: '%m [%p] %q%a %e ',
} as const;
