/** Destination and content of requests. */
export type Target = {
  readonly host: string;
  readonly port: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly messagesPerRequest: number;
  /** Number of users; requests use them in turn. */
  readonly users: number;
  /** Prefix of message ids; unique per run, so that no event is a duplicate. */
  readonly idPrefix: string;
  /** Ids of events at random places of an index instead of one after the other. */
  readonly hasScatteredIds?: boolean;
  /**
   * Content of messages: events, registrations of each user in turn, or events with occasional
   * profile changes; or pushes.
   */
  readonly content: 'events' | 'registrations' | 'mixed' | PushContent;
};

/** One push per request: its body, with MARKS for the unique parts. */
export type PushContent = { readonly push: object };

/**
 * Timing of requests. `closed`: each connection sends its next request after a response, so a slow
 * server gets fewer. `open`: at a constant rate, independent of responses, like real traffic.
 */
export type Arrival =
  | { readonly type: 'closed'; readonly connections: number; readonly requestsMax?: number }
  | { readonly type: 'open'; readonly requestsPerSecond: number; readonly connectionsMax: number };

/** Requests of one kind from one client, measured separately. */
export type Stream = { readonly name: string; readonly target: Target; readonly arrival: Arrival };

/** Streams run concurrently; the warm-up is not measured. */
export type LoadPlan = {
  readonly streams: readonly Stream[];
  readonly warmUpMs: number;
  readonly measuredMs: number;
};

export type Latencies = {
  readonly p50Ms: number;
  readonly p90Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
};

export type StreamResult = {
  readonly name: string;
  /** Requests due within the measured window. */
  readonly due: number;
  /** Of these, those answered 2xx, however late. */
  readonly accepted: number;
  /** 2xx responses per second within the measured window. */
  readonly acceptedPerSecond: number;
  /** Non-2xx responses, by status. */
  readonly refused: Readonly<Record<string, number>>;
  /** Requests whose connection broke or timed out. */
  readonly unanswered: number;
  /** Requests that never got a connection. */
  readonly unsent: number;
  /** Latency of accepted requests, from their due time. */
  readonly latency: Latencies;
};

export type LoadResult = {
  readonly seconds: number;
  /** CPU seconds of the generator. */
  readonly cpuSeconds: number;
  readonly streams: readonly StreamResult[];
};
