export { isAddressAllowed } from './addresses/allow-list.ts';
export { addressBlock, networkList, parseNetwork, plainAddress } from './addresses/networks.ts';
export { networkScope } from './addresses/private-networks.ts';
export { AppError, assertNever } from './app-error.ts';
export { sleep, systemClock, type Clock, type Timers } from './clock.ts';
export {
  ConfigError,
  flag,
  integer,
  list,
  loadConfig,
  optionalText,
  text,
  type ConfigField,
  type ConfigOf,
  type ConfigSpec,
} from './config.ts';
export { drawOf } from './draw-of.ts';
export { wilsonInterval } from './wilson-interval.ts';
export { encryptionConfig, readEncryptionKeys, type EncryptionKeys } from './encryption-keys.ts';
export { readEnvironment } from './env.ts';
export { answerClientError, answerConnect } from './http/client-error.ts';
export {
  listen,
  type HttpAddress,
  type HttpServer,
  type Listen,
  type ListenOptions,
} from './http/listen.ts';
export { hostFault } from './http/host.ts';
export { pathOf } from './http/path-of.ts';
export { sendProblem, type HeaderList } from './http/problem.ts';
export { countTallies, gaugeTallies, type Tally } from './hot-metrics.ts';
export { isUuid, randomBase62, systemIds, type Ids } from './ids.ts';
export { itemAt } from './item-at.ts';
export {
  needsExactParse,
  parseEveryDigit,
  parseExactJson,
  stringifyExactJson,
  toWellFormed,
} from './json.ts';
export { isSameJson } from './same-json.ts';
export { fieldAt, fieldsIn, itemsIn, longNumbersIn, type Span } from './json-text.ts';
export { watchLoopLag, type LoopLag } from './loop-lag.ts';
export { leastGapMs, nextCronMs, readCron } from './calendar/cron.ts';
export { dateInstantMs, isDateMs, nextYearlyReturn } from './calendar/date-instant.ts';
export { nextLocalTimeMs } from './calendar/next-local-time.ts';
export { localInstantMs } from './local-instant.ts';
export { localDay, offsetMs } from './local-time.ts';
export { DROPPED, LOGGED_FIELDS } from './logged-fields.ts';
export { createLogger, standardError, type Logger } from './logger.ts';
export { Counter, Gauge, Histogram, metricsRegistry } from './metrics.ts';
export { asciiMailbox, mailboxKey, storedMailboxKey } from './mailbox-key.ts';
export { onAbort } from './on-abort.ts';
export { onDeadline } from './on-deadline.ts';
export { createWakeUp, repeat } from './repeat.ts';
export { createReturnTokens, type ReturnToken } from './return-tokens.ts';
export { backoffMs, retry, retryAfterSeconds } from './retry.ts';
export { createMicroBatcher } from './micro-batcher.ts';
export { processConfig } from './process-config.ts';
export { runService } from './run-service.ts';
export { runServices, type ProcessDefinition, type ProcessPlan } from './run-services.ts';
export { type Service, type ServiceContext, type ServiceDefinition } from './service.ts';
export { createSealedAddresses } from './sealed-addresses.ts';
export { createShared, type Shared } from './shared.ts';
export { createSecretBox, type SecretBox } from './secret-box.ts';
export {
  parseAttempt,
  attemptParts,
  parseLink,
  linkParts,
  type AttemptId,
  type MailLink,
} from './signed-attempts.ts';
export { createIdSigner, type IdSigner } from './signed-id.ts';
export { isTracing } from './tracing/start-tracing.ts';
export { noteRoute } from './tracing/trace-requests.ts';
export {
  currentTraceparent,
  inSpan,
  inChildSpan,
  inSpanPerParent,
  withoutTrace,
  type ActiveSpan,
  type SpanOptions,
} from './tracing/spans.ts';
export { newTraceId, traceIdFrom, TRACEPARENT } from './tracing/traceparent.ts';
