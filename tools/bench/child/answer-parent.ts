/**
 * Child side of `startChild`: answers each request with the result of `handle`. The process exits
 * with its parent.
 */
export function answerParent<Request, Answer>(handle: (request: Request) => Promise<Answer>): void {
  process.on('message', (request: Request) => {
    handle(request).then(
      (result) => process.send?.({ result }),
      (error: unknown) =>
        process.send?.({
          failure: error instanceof Error ? (error.stack ?? error.message) : String(error),
        }),
    );
  });
  process.on('disconnect', () => process.exit(0));
}
