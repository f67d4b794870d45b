import type { FrameContent, FrameEvent } from '../../frame/contract.ts';

type FrameEvents = {
  readonly onEvent: (event: FrameEvent) => void;
  /** Another document is in the frame. */ readonly onReplaced: () => void;
};

/**
 * Gives the frame its content, and a port to speak over. The first document of a frame is ours: it alone gets the port, so
 * a document that replaces it cannot speak to the page.
 */
export function connectFrame(
  frame: HTMLIFrameElement,
  content: FrameContent,
  { onEvent, onReplaced }: FrameEvents,
): void {
  let port: MessagePort | undefined;
  frame.onload = () => {
    if (port !== undefined) return onReplaced();
    const { port1, port2 } = new MessageChannel();
    port = port1;
    port1.onmessage = ({ data }: MessageEvent<FrameEvent>) => onEvent(data);
    // Its origin is opaque: there is no name to send it to.
    frame.contentWindow?.postMessage(content, '*', [port2]);
  };
}
