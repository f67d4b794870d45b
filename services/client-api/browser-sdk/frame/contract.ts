/** What the page tells the frame: once, when the frame has said that it is ready. */
export type FrameContent = { readonly tidings: 'show'; readonly title?: string; readonly body: string; readonly language: string };

/** What the frame tells the page. */
export type FrameNews =
  | { readonly tidings: 'ready' }
  | { readonly tidings: 'size'; readonly height: number; readonly direction: string }
  | { readonly tidings: 'click'; readonly href: string; readonly isNewWindow: boolean }
  | { readonly tidings: 'close' };
