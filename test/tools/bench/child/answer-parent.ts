/** The other end of `startChild`: answers each request by what `handle` makes of it. The process ends with its parent. */
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
