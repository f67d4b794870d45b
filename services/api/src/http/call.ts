import type { Request, Response } from 'express';

/** A validated request. */
export type Call<Body, Query> = {
  readonly req: Request;
  readonly res: Response;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: Body;
};
