/** What the page tells the frame, once, when the frame has loaded. A MessagePort for the frame's news comes with it. */
export type FrameContent = {
  readonly tidings: 'show';
  readonly title?: string | undefined;
  readonly body: string;
  readonly language: string;
};

/** For the SDK of an older version, which waits for it and sends no port. */
export type FrameReady = { readonly tidings: 'ready' };

/** What the frame tells the page, over the port. */
export type FrameEvent =
  | { readonly tidings: 'size'; readonly height: number; readonly direction: string }
  | { readonly tidings: 'click'; readonly href: string; readonly isNewWindow: boolean }
  | { readonly tidings: 'close' };

/** Part of the frame's address, so that a new SDK gets no older frame from a cache. Raise it when this contract changes. */
export const FRAME_VERSION = 2;
