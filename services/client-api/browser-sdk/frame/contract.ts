/**
 * Sent by the page to the frame once it has loaded, together with a MessagePort for the frame's
 * events.
 */
export type FrameContent = {
  readonly tidings: 'show';
  readonly title?: string | undefined;
  readonly body: string;
  readonly language: string;
};

/** For older SDK versions, which wait for it and send no port. */
export type FrameReady = { readonly tidings: 'ready' };

/** Sent by the frame to the page over the port. */
export type FrameEvent =
  | { readonly tidings: 'size'; readonly height: number; readonly direction: string }
  | { readonly tidings: 'click'; readonly href: string; readonly isNewWindow: boolean }
  | { readonly tidings: 'close' };

/**
 * Part of the frame's URL, so that a new SDK gets no older frame from a cache. Increase it when
 * this contract changes.
 */
export const FRAME_VERSION = 2;
